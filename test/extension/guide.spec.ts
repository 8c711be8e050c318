import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Environment, PATIENT, programEnvironment, projectFolder, runCommand } from '../support/command.js';
import { storeKey } from '../support/api-keys.js';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { NodeDebugger } from '../support/debugger.js';
import { onEachEngine } from '../support/engines.js';
import { EXTENDING, guideFiles } from '../support/guide.js';
import { HttpClient } from '../support/http.js';
import { readDocument } from '../support/markdown.js';
import { pack, runIn } from '../support/packages.js';
import { RunningProgram } from '../support/running-program.js';
import { removeScratch, scratchFolder } from '../support/scratch.js';
import { Service } from '../support/service.js';

const CREATES_ORDERS: unknown = expect.stringMatching(/^CreateOrders\d+$/);

/** The commands of those blocks of docs/extending that are marked with `word`. */
const commands = (word: string): string[] =>
  EXTENDING.flatMap((page) => readDocument(page).fences)
    .filter(({ words }) => words.includes(word))
    .flatMap(({ text }) => text.trim().split('\n'));

describe('the guide, by someone who has only that page', () => {
  let folder: string;
  let tarball: string;

  /** Uses npm's cache, but leaves nothing of what `npx` installs in it. */
  beforeAll(async () => {
    folder = scratchFolder('guide');
    tarball = await pack(projectFolder, folder);
    const cache = process.env['npm_config_cache'] ?? join(homedir(), '.npm');
    mkdirSync(join(folder, 'cache'));
    symlinkSync(join(cache, '_cacache'), join(folder, 'cache/_cacache'));
    // The last command runs until it is stopped. It is started below, as a service.
    const [make = '', enter = '', install = '', start = ''] = commands('guide');
    expect([enter, start]).toEqual(['cd orders', 'npm start']);
    const further = 'npx nest g feature returns';
    const shell = [make, enter, install, further, 'npm test', 'npm start -- help'].join(' && ');
    const env = `export npm_config_cache=${join(folder, 'cache')} npm_config_update_notifier=false npm_config_audit=false npm_config_prefer_offline=true`;
    const printed = await runIn(
      folder,
      'bash',
      '-ec',
      `${env}; ${shell}`.replaceAll('PATH/TO/animal-store-1.0.0.tgz', tarball),
    );
    expect(printed).toContain('CREATE src/returns/returns.feature.ts ');
    const { peerDependencies } = JSON.parse(readFileSync(join(folder, 'orders/package.json'), 'utf8')) as {
      peerDependencies: Record<string, string>;
    };
    expect(peerDependencies['animal-store']).toBe('^1.0.0');
    expect(printed).toMatch(/pass 6\n.*fail 0\n/);
    expect(printed).toMatch(/^Usage: animal-store /m);
  }, 300_000);

  afterAll(() => removeScratch(folder));

  it('stops at a breakpoint in src of the feature, where a stack names src too', async () => {
    const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter);
    const env = { ...programEnvironment('sqlite::memory:', PATIENT), NODE_ENV: 'development', PATH };
    const cli = join(folder, 'orders/node_modules/@nestjs/cli/bin/nest.js');
    const nest = RunningProgram.start(join(folder, 'orders'), [cli, 'start', '--debug', '127.0.0.1:0'], env);
    try {
      const debug = await NodeDebugger.attach(await nest.untilPrinted(/Debugger listening on (ws:\S+)\s/));
      const key = await nest.untilPrinted(/(as_test_\w+)\W/);
      const client = new HttpClient(await nest.untilPrinted(/"event":"app.ready".*"url":"([^"]+)"/), key);
      const source = 'src/orders.service.ts';
      const line = await debug.breakAt(join(folder, 'orders', source), 'const orderId =');
      const answer = client.get('/v1/orders/7');
      expect(await debug.valueAtPause('id')).toBe('7');
      expect(await debug.valueAtPause('new Error().stack')).toContain(`${source}:${String(line)}`);
      await debug.resume();
      debug.detach();
      expect(await answer).toBeErrorShape(404, 'order_not_found');
    } finally {
      await nest.stop();
    }
  }, 300_000);

  onEachEngine('deployed', (engine) => {
    let database: TestDatabase;

    beforeAll(async () => {
      database = await engine.createDatabase();
    });

    afterAll(() => database.drop());

    it('serves the feature in production', async () => {
      const program = join(folder, 'orders/dist/main.js');
      const env = {
        NODE_ENV: 'production',
        PUBLIC_BASE_URL: 'https://orders.test/v1',
        DATABASE_TLS_MODE: 'disable',
        SHUTDOWN_DELAY_MS: '0',
      };
      const [migrate = '', create = '', serve = ''] = commands('guide=deploy');
      const run = async (command: string, more: Environment = {}): Promise<{ stdout: string; stderr: string }> => {
        const args = command.split(' ').slice(2);
        const { code, stdout, stderr } = await runCommand(database, args, { ...env, ...more }, program);
        if (code !== 0) throw new Error(`${command}: ${stderr}`);
        return { stdout, stderr };
      };
      // In production a command whose output is collected reports by log lines.
      const logged = async (command: string, more?: Environment): Promise<object[]> =>
        (await run(command, more)).stderr
          .split('\n')
          .filter((line) => line.startsWith('{'))
          .map((line) => JSON.parse(line) as { event: string; migration?: string })
          .map(({ event, migration }) => ({ event, migration }));
      expect(await logged(migrate)).toContainEqual({ event: 'migration.applied', migration: CREATES_ORDERS });
      const key = (await run(create)).stdout.trim();
      expect(serve).toBe('node dist/main.js');
      const service = await Service.start({ database, program, env });
      const client = new HttpClient(service.url, key);
      expect((await client.post('/v1/orders', { name: 'Rex' })).status).toBe(201);
      expect((await client.get('/v1/orders')).json()).toEqual([{ id: 1, name: 'Rex' }]);
      expect(await client.get('/v1/pets')).toBeErrorShape(403, 'insufficient_scope');
      await service.stop();
      // The grant and the undo command of the page are about this table.
      expect(await database.query('SELECT name FROM orders_order')).toEqual([{ name: 'Rex' }]);
      const [undo = ''] = commands('guide=undo');
      const [off = '', ...command] = undo.split(' ');
      const undone = await logged(command.join(' '), Object.fromEntries([off.split('=')]) as Environment);
      expect(undone).toContainEqual({ event: 'migration.undone', migration: CREATES_ORDERS });
    });
  });
});

describe('a feature that is written by hand', () => {
  let folder: string;

  beforeEach(() => {
    folder = scratchFolder('by-hand');
  });

  afterEach(() => removeScratch(folder));

  it('is installed, compiled and served by the commands of the guide', async () => {
    const database = await createSqliteDatabase();
    const tarball = await pack(projectFolder, folder);
    const [init = '', install = '', tools = '', compile = '', serve = ''] = commands('hand');
    const shell = [init, install, tools].join(' && ').replaceAll('PATH/TO/animal-store-1.0.0.tgz', tarball);
    const env = 'export npm_config_update_notifier=false npm_config_audit=false npm_config_prefer_offline=true';
    const package_ = join(folder, 'orders');
    mkdirSync(package_);
    await runIn(package_, 'bash', '-ec', `${env}; ${shell}`);
    for (const { path, text } of guideFiles('file')) {
      mkdirSync(dirname(join(package_, path)), { recursive: true });
      writeFileSync(join(package_, path), text);
    }
    await runIn(package_, 'bash', '-ec', compile);
    expect(serve).toBe('node dist/main.js');
    const service = await Service.start({ database, program: join(package_, 'dist/main.js') });
    const client = new HttpClient(service.url, await storeKey(database));
    expect((await client.post('/v1/store/orders', { petId: 1, buyer: 'Ada' })).status).toBe(201);
    await service.stop();
    await database.drop();
  }, 300_000);
});

interface Counted {
  readonly commands: number;
  readonly files: number;
  readonly lines: number;
}

describe('what a feature costs', () => {
  let counted: Record<'generated' | 'byHand' | 'plain', Counted>;

  beforeAll(async () => {
    const printed = await runIn(projectFolder, process.execPath, 'scripts/count-feature.mjs');
    counted = JSON.parse(printed) as typeof counted;
  });

  it('is what the guide says', () => {
    const { tables } = readDocument('docs/extending/guide.md');
    const table = tables.find(({ header }) => header.includes('Commands'));
    const documented = table?.rows.map((row) => row.slice(1).map(Number));
    const { generated, byHand, plain } = counted;
    expect(documented).toEqual([generated, byHand, plain].map(({ commands: n, files, lines }) => [n, files, lines]));
  });

  it('is less than without the platform', () => {
    const { generated, byHand, plain } = counted;
    expect(generated.commands).toBeLessThan(plain.commands);
    expect(byHand.files).toBeLessThan(plain.files);
    expect(byHand.lines).toBeLessThan(plain.lines);
  });
});
