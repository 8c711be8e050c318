import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { publicIdOf } from '../support/api-keys.js';
import { builtProgram, runCommand } from '../support/command.js';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { HttpClient } from '../support/http.js';
import { freePort } from '../support/ports.js';
import { removeScratch, scratchFolder } from '../support/scratch.js';
import { Service } from '../support/service.js';
import { spawnTethered } from '../support/tethered.js';

describe('a mounted file of keys', () => {
  const folder = scratchFolder('keys-file');
  /** As kubelet mounts a secret: the file is a link, through another link that is swapped. */
  const mounted = join(folder, 'keys.json');
  let database: TestDatabase;
  let service: Service;
  let reader: string;
  let master: string;

  beforeAll(async () => {
    database = await createSqliteDatabase();
    mkdirSync(join(folder, 'v1'));
    symlinkSync('v1', join(folder, '..data'));
    symlinkSync(join('..data', 'keys.json'), mounted);
    reader = await create('v1', '--scopes', 'pets:read');
    master = await create('v1');
    const port = String(await freePort());
    // Changes of keys and of their file are logged at any level. That the service is ready is not.
    const env = { PORT: port, API_KEYS_FILE: mounted, AUTH_FAILURES_PER_MINUTE: '0', LOG_LEVEL: 'error' };
    service = Service.launch({ database, env });
    service.url = `http://127.0.0.1:${port}`;
    expect(await until(200, master)).toBe(true);
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
    removeScratch(folder);
  });

  async function create(version: string, ...args: string[]): Promise<string> {
    const file = join(folder, version, 'keys.json');
    const made = await runCommand(database, ['keys', 'create', '--name', 'file', '--file', file, ...args]);
    expect(made.code).toBe(0);
    return made.stdout.trim();
  }

  /** Replaces the mounted version by another one in one step. */
  function swap(version: string): void {
    symlinkSync(version, join(folder, '..new'));
    renameSync(join(folder, '..new'), join(folder, '..data'));
  }

  const ask = async (key: string): Promise<number> => (await new HttpClient(service.url, key).get('/v1/pets')).status;

  async function until(status: number, key: string): Promise<boolean> {
    for (let tries = 0; tries < 600; tries++, await sleep(100))
      if ((await ask(key).catch(() => 0)) === status) return true;
    return false;
  }

  it('lets its keys in, each within its scopes, with none in the database', async () => {
    expect(await database.query('SELECT id FROM api_key')).toEqual([]);
    const pet = { name: 'Otso', categoryId: 1 };
    expect(await ask(reader)).toBe(200);
    expect(await new HttpClient(service.url, reader).post('/v1/pets', pet)).toBeErrorShape(403, 'insufficient_scope');
    expect((await new HttpClient(service.url, master).post('/v1/pets', pet)).status).toBe(201);
    expect(await ask(`${master.slice(0, -1)}-`)).toBe(401);
  });

  it('is read again when it changes: a new key comes in, one that is gone is refused', async () => {
    mkdirSync(join(folder, 'v2'));
    const newcomer = await create('v2');
    swap('v2');
    expect(await until(200, newcomer)).toBe(true);
    expect(await ask(reader)).toBe(401);
    expect(await ask(master)).toBe(401);
    const gone = master;
    master = newcomer;
    await service.untilLogged((line) => line['event'] === 'key.created');
    const trail = service.log.filter(({ event }) => event === 'key.created' || event === 'key.revoked');
    expect(trail.map(({ event, key_id: id, client }) => [event, id, client])).toStrictEqual([
      ['key.revoked', publicIdOf(reader), 'file'],
      ['key.revoked', publicIdOf(gone), 'file'],
      ['key.created', publicIdOf(newcomer), 'file'],
    ]);
  });

  it('that is invalid changes nothing and is logged once, without its contents', async () => {
    mkdirSync(join(folder, 'v3'));
    writeFileSync(join(folder, 'v3', 'keys.json'), '[{"id":"canary"');
    swap('v3');
    await service.untilLogged((line) => line['event'] === 'keys_file.refused');
    await sleep(2500);
    expect(service.log.filter((line) => line['event'] === 'keys_file.refused')).toHaveLength(1);
    expect(service.output).not.toContain('canary');
    expect(await ask(master)).toBe(200);
    rmSync(mounted);
    await sleep(1500);
    expect(await ask(master)).toBe(200);
  });

  it('that is invalid at the start ends the start with 78 and the name of the file', async () => {
    const file = join(folder, 'v3', 'keys.json');
    const failed = Service.launch({ database, env: { API_KEYS_FILE: file } });
    expect(await failed.exited).toEqual({ code: 78, signal: null });
    expect(failed.output).toContain('API_KEYS_FILE');
    expect(failed.output).not.toContain('canary');
  });
});

describe('keys create --file', () => {
  const anywhere = { url: 'sqlite::memory:' };
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = scratchFolder('keys-create');
    file = join(folder, 'keys.json');
  });

  afterEach(() => {
    removeScratch(folder);
  });

  const create = (env = {}): ReturnType<typeof runCommand> =>
    runCommand(anywhere, ['keys', 'create', '--name', 'many', '--file', file], env);

  it('loses no key where several processes do it at once', async () => {
    for (let round = 0; round < 3; round++) {
      const results = await Promise.all(Array.from({ length: 6 }, () => create()));
      expect(results.map(({ code, stderr }) => [code, stderr])).toEqual(Array(6).fill([0, expect.anything()]));
      const made = results.map(({ stdout }) => publicIdOf(stdout.trim()));
      const entries = JSON.parse(readFileSync(file, 'utf8')) as { id: string }[];
      expect(entries.map(({ id }) => id).sort()).toEqual(made.sort());
      expect(readdirSync(folder)).toEqual(['keys.json']);
      rmSync(file);
    }
  });

  it('leaves the file as it was, and nothing beside it, where there is no room for another entry', async () => {
    const entries = Array.from({ length: 9 }, (_, index) => ({
      id: `entry00${index}`,
      hash: '0'.repeat(64),
      client: 'many',
      scopes: ['*'],
    }));
    const before = JSON.stringify(entries);
    writeFileSync(file, before);
    // A file may have one block of 512 or 1024 bytes. The rest is cut off, as on a full disk.
    const limited = 'trap "" XFSZ; ulimit -f 1; exec "$0" "$@"';
    const command = [process.execPath, builtProgram('cli.js'), 'keys', 'create', '--name', 'x', '--file', file];
    const child = spawnTethered('sh', ['-c', limited, ...command], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr?.on('data', (text: Buffer) => (stderr += text.toString()));
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(1);
    expect(stderr).toContain(`error: No key was put into ${file}: it cannot be written (EFBIG).`);
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(readdirSync(folder)).toEqual(['keys.json']);
  });

  it('creates no key for an unknown environment: 78', async () => {
    const { code, stdout, stderr } = await create({ NODE_ENV: 'prodution' });
    expect({ code, stdout }).toEqual({ code: 78, stdout: '' });
    expect(stderr).toContain('NODE_ENV: ');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('makes a live key for production, whatever else the configuration lacks', async () => {
    const { code, stdout } = await create({ NODE_ENV: 'production', DATABASE_URL: '', PORT: 'x' });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^as_live_/);
  });
});
