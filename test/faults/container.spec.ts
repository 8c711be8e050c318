import { execFile } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import autocannon from 'autocannon';
import { parse } from 'yaml';
import { projectFolder } from '../support/command.js';
import { Container, whyNoContainer } from '../support/container.js';
import { createMysqlDatabase, type TestDatabase } from '../support/database.js';
import { HttpClient } from '../support/http.js';
import { MemoryLimit, whyNoMemoryLimit } from '../support/memory-limit.js';
import { removeScratch, scratchFolder } from '../support/scratch.js';
import { Service } from '../support/service.js';

const MIB = 1024 ** 2;
/** Enough garbage collections for the memory to reach a constant size. */
const REQUESTS = 10_000;

const run = promisify(execFile);

interface Compose {
  readonly services: Record<
    'app' | 'migrate',
    { readonly environment: Record<string, string>; readonly command: string[] }
  >;
}

const { services } = parse(readFileSync(join(projectFolder, 'compose.yaml'), 'utf8'), { merge: true }) as Compose;
const missing =
  whyNoContainer() ?? (process.env['TEST_MYSQL_URL'] === undefined ? 'no database server is here' : undefined);
const suite = `the image, started without an engine${missing === undefined ? '' : ` (not here: ${missing})`}`;

(missing === undefined ? describe : describe.skip)(suite, () => {
  const secrets = scratchFolder('secrets');
  let database: TestDatabase;
  let container: Container;
  let service: Service | undefined;
  let client: HttpClient;
  let key: string;

  const inContainer = async (env: Record<string, string>, ...args: string[]) => {
    const all = { PATH: process.env['PATH'], ...container.image.env, ...env };
    return run(container.node, args, { env: all, maxBuffer: 16 * 1024 ** 2 });
  };
  const evaluate = async (script: string): Promise<unknown> =>
    JSON.parse((await inContainer({}, '--print', `JSON.stringify(${script})`)).stdout);

  beforeAll(async () => {
    database = await createMysqlDatabase(
      process.env['TEST_MYSQL_URL'] ?? '',
      process.env['TEST_MYSQL_ADMIN_URL'] ?? '',
    );
    chmodSync(secrets, 0o755);
    writeFileSync(join(secrets, 'database_url'), `${database.url}\n`, { mode: 0o444 });
    container = new Container(secrets);
    await inContainer(services.migrate.environment, ...services.migrate.command);
    const env = { DATABASE_URL: undefined, ...container.image.env, ...services.app.environment };
    const program = container.image.command[0] ?? '';
    // Slow, since every file is read for the first time.
    service = await Service.start({ database, node: container.node, program, env }, 60_000);
    const { stdout } = await inContainer(services.app.environment, 'dist/main.js', 'keys', 'create', '--name', 'test');
    key = stdout.trim();
    client = new HttpClient(service.url, key);
  });

  afterAll(async () => {
    await service?.kill('SIGKILL');
    await database.drop();
    removeScratch(secrets);
  });

  it('serves, after the migration of compose.yaml and in the environment that it gives', async () => {
    const pet = { name: 'Rex', categoryId: 1, status: 'available' };
    const created = await client.post('/v1/pets', pet);
    expect(created.status).toBe(201);
    expect((await client.get(new URL(created.headers.get('location') ?? '').pathname)).status).toBe(200);
    expect((await client.get('/v1/pets')).json()).toHaveLength(1);
    const docs = await new HttpClient(service?.url ?? '').get('/docs');
    expect(docs.status).toBe(200);
    expect((await new HttpClient(service?.managementUrl ?? '').get('/readyz')).status).toBe(200);
  });

  it('runs as an unprivileged user, without a capability or a way to gain one', () => {
    const status = readFileSync(`/proc/${service?.pid ?? ''}/status`, 'utf8');
    const field = (name: string): string | undefined => new RegExp(`^${name}:\\s+(.*)$`, 'm').exec(status)?.[1];
    expect([field('Uid'), field('Gid')]).toStrictEqual(['65532\t65532\t65532\t65532', '65532\t65532\t65532\t65532']);
    expect([field('CapEff'), field('CapPrm'), field('NoNewPrivs')]).toStrictEqual([
      '0000000000000000',
      '0000000000000000',
      '1',
    ]);
  });

  it('can write nowhere, and has no shell', async () => {
    const attempt = (path: string): string =>
      `(() => { try { fs.writeFileSync('${path}', 'x'); } catch ({ code }) { return code; } })()`;
    const paths = ['/tmp/x', '/app/dist/main.js', '/app/node_modules/.cache/x', '/x'];
    expect(await evaluate(`[${paths.map(attempt).join()}]`)).toEqual(paths.map(() => 'EROFS'));
    expect(await evaluate(`child_process.spawnSync('/bin/sh').error.code`)).toBe('ENOENT');
  });

  it('reads the code that was compiled when it was built, though it cannot write there', async () => {
    const env = { ...services.app.environment, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' };
    const { stderr } = await inContainer(env, 'dist/main.js', 'config');
    expect(stderr.match(/ was accepted/g)?.length).toBeGreaterThan(10);
    expect(stderr).not.toMatch(/ was rejected/);
  });

  it('has 65 % of its memory for the heap, and three times 16 MiB of new objects', async () => {
    const script = `[v8.getHeapStatistics().heap_size_limit, process.constrainedMemory(), os.totalmem()]`;
    const [limit = 0, constrained = 0, total = 0] = (await evaluate(script)) as number[];
    const memory = constrained === 0 ? total : Math.min(constrained, total);
    expect(limit / (0.65 * memory + 48 * MIB)).toBeCloseTo(1, 1);
  });

  const unlimited = whyNoMemoryLimit();

  (unlimited === undefined ? it : it.skip)(
    `serves from 256 MiB${unlimited === undefined ? '' : ` (${unlimited})`}`,
    async () => {
      const limit = new MemoryLimit(256 * MIB);
      const node = container.nodeWithin(limit);
      const program = container.image.command[0] ?? '';
      const env = { DATABASE_URL: undefined, ...container.image.env, ...services.app.environment };
      const small = Service.launch({ database, node, program, env: { ...env, RATE_LIMIT_PER_MINUTE: '0' } });
      try {
        const { url } = await small.untilLogged(({ event }) => event === 'app.ready', 60_000);
        const load = { headers: { authorization: `Bearer ${key}` }, amount: REQUESTS, connections: 32 };
        const result = await autocannon({ ...load, url: `${String(url)}/v1/pets?limit=100` });
        expect([result['2xx'], result.errors, limit.killed]).toEqual([REQUESTS, 0, 0]);
        expect(await small.stop()).toEqual({ code: 0, signal: null });
      } finally {
        await small.kill('SIGKILL');
        limit.remove();
      }
    },
    90_000,
  );

  it('ends in order on SIGTERM', async () => {
    expect(await service?.stop()).toEqual({ code: 0, signal: null });
  });
});
