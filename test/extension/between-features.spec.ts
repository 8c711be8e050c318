import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import { type Environment, runCommand } from '../support/command.js';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { onEachEngine } from '../support/engines.js';
import { hosting } from '../support/hosting.js';
import { HttpClient } from '../support/http.js';
import { metricValue } from '../support/metrics.js';
import { Service } from '../support/service.js';

const PLATFORM = ['CreateApiKeys1764201500000', 'CreateIdempotencyRecords1764201550000'];
const PETS = ['CreatePets1764201600000'];
const ADOPTIONS = ['CreateAdoptions1500000000000', 'FillAdoptions1500000000001'];

onEachEngine('the tables of features', (engine) => {
  const { program, env } = hosting({ features: ['features/adoptions.feature.ts'] });
  let database: TestDatabase;

  beforeAll(async () => {
    database = await engine.createDatabase();
  });

  afterAll(() => database.drop());

  const OFF = { FEATURES_OFF: 'adoptions' };
  const migrate = async (args: readonly string[] = [], more: Environment = {}): Promise<string> => {
    const { code, stdout, stderr } = await runCommand(database, ['migrate', ...args], { ...env, ...more }, program);
    if (code !== 0) throw new Error(stderr);
    return stdout;
  };
  const inDatabase = async (): Promise<unknown[]> =>
    (await database.query('SELECT name FROM migration ORDER BY id')).map(({ name }) => name);
  const countAdoptions = async (): Promise<unknown> =>
    (await database.query('SELECT COUNT(*) AS n FROM adoption'))[0]?.['n'];

  it('come feature by feature, each of one by its timestamps', async () => {
    await migrate();
    expect(await inDatabase()).toStrictEqual([...PLATFORM, ...PETS, ...ADOPTIONS]);
  });

  it('stay when FEATURES_OFF names their feature, which then serves nothing', async () => {
    const off = await Service.start({ database, program, env: { ...env, ...OFF } });
    const client = new HttpClient(off.url, await storeKey(database));
    expect(await client.get('/v1/adoptions/1')).toBeErrorShape(404, 'route_not_found');
    expect((await client.get('/v1/pets')).status).toBe(200);
    expect((await client.get('/openapi.json')).text).not.toContain('adoptions');
    await off.stop();
    expect(await countAdoptions()).toBe(2n);
    const on = await Service.start({ database, program, env });
    expect((await new HttpClient(on.url, await storeKey(database)).get('/v1/adoptions/1')).text).toBe('{}');
    await on.stop();
  });

  it('stay until the operator who undoes their feature has seen what is lost, and has confirmed', async () => {
    const asked = await runCommand(database, ['migrate', '--undo', 'adoptions'], { ...env, ...OFF }, program);
    expect(asked).toMatchObject({ code: 2, stdout: '' });
    expect(asked.stderr).toContain('  adoption: 2 rows\n');
    expect(asked.stderr).toMatch(/^Nothing was changed\. .*add --yes\.$/m);
    expect(await countAdoptions()).toBe(2n);
    expect(await inDatabase()).toStrictEqual([...PLATFORM, ...PETS, ...ADOPTIONS]);
  });

  it('go feature by feature, once it is off', async () => {
    expect(await migrate(['--undo', 'adoptions', '--yes'], OFF)).toBe(
      [...ADOPTIONS]
        .reverse()
        .map((name) => `undone ${name}\n`)
        .join(''),
    );
    await expect(countAdoptions()).rejects.toThrow();
    expect(await inDatabase()).toStrictEqual([...PLATFORM, ...PETS]);
    expect(await migrate(['--undo', 'adoptions'], OFF)).toBe("Nothing of 'adoptions' is in the database.\n");
    expect(await migrate([], OFF)).toBe('The schema is current; nothing to do.\n');
    expect(await migrate()).toContain('applied CreateAdoptions1500000000000\n');
  });

  it('are taken back by lines of the log in production', async () => {
    await migrate();
    const feature = 'adoptions';
    const production = {
      NODE_ENV: 'production',
      PUBLIC_BASE_URL: 'https://pets.test/v1',
      DATABASE_TLS_MODE: 'disable',
    };
    const takeBack = async (...confirmed: string[]): Promise<object> => {
      const asJob = { ...env, ...OFF, ...production };
      const command = ['migrate', '--undo', feature, ...confirmed];
      const { code, stdout, stderr } = await runCommand(database, command, asJob, program);
      const lines = stderr.trimEnd().split('\n');
      return { code, stdout, lines: lines.map((line) => JSON.parse(line) as object) };
    };
    const loss = { level: 'warn', event: 'migration.loss', feature, rows: { adoption: 2 } };
    const each = [...ADOPTIONS].reverse().flatMap((migration) => [
      { event: 'migration.started', feature, migration },
      { event: 'migration.undone', feature, migration },
    ]);
    const ended = { level: 'info', event: 'migration.ended', feature };
    expect(await takeBack()).toMatchObject({ code: 2, stdout: '', lines: [loss, { event: 'command.failed' }] });
    const lines = [loss, ...each, { ...ended, undone: ADOPTIONS.length }];
    expect(await takeBack('--yes')).toMatchObject({ code: 0, stdout: '', lines });
    expect(await takeBack('--yes')).toMatchObject({ code: 0, stdout: '', lines: [{ ...ended, undone: 0 }] });
    await migrate();
  });

  it('are not there when their migration fails, which the log attributes to the feature', async () => {
    const broken = hosting({ features: ['features/fails-to-migrate.feature.ts'] });
    const service = Service.launch({ database, ...broken });
    const line = await service.untilLogged(({ event }) => event === 'migration.failed', 15_000);
    const message = "Migration CreateNothing1500000000000 of feature 'nothing' failed: The database failed (";
    expect(line).toMatchObject({
      level: 'error',
      feature: 'nothing',
      migration: 'CreateNothing1500000000000',
      msg: expect.stringContaining(message),
      err: { message: expect.stringContaining(message), stack: expect.stringMatching(/^Migration .*\)\n {4}at /) },
    });
    expect(await inDatabase()).toStrictEqual([...PLATFORM, ...PETS, ...ADOPTIONS]);
    const refused = await service.untilLogged(({ event }) => event === 'db.statement_refused');
    expect(refused).toMatchObject({
      level: 'warn',
      statement: 'CREATE NOTHING',
      msg: expect.stringMatching(/^The database refused a statement: .*(syntax|NOTHING)/),
      sent_by: expect.stringMatching(/CreateNothing1500000000000\.up .*fails-to-migrate\.feature\.ts:\d+/),
    });
    await service.kill('SIGKILL');
    const empty = await engine.createDatabase();
    const { code, stdout, stderr } = await runCommand(empty, ['migrate'], broken.env, broken.program);
    expect([code, stdout]).toEqual([1, [...PLATFORM, ...PETS].map((name) => `applied ${name}\n`).join('')]);
    expect(stderr).toMatch(
      /^applying CreateNothing1500000000000\nThe database refused a statement: .*\nCREATE NOTHING\n( +at .*\n)+The command failed: /m,
    );
    expect(stderr).toContain(`\nThe command failed: ${message}`);
    const production = { NODE_ENV: 'production', PUBLIC_BASE_URL: 'https://pets.test/v1', LOG_FORMAT: undefined };
    const asJob = { ...broken.env, ...production, DATABASE_TLS_MODE: 'disable' };
    const collected = await runCommand(empty, ['migrate'], asJob, broken.program);
    expect(collected).toMatchObject({ code: 1, stdout: '' });
    expect(
      collected.stderr
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toMatchObject([
      { level: 'info', event: 'migration.started', migration: 'CreateNothing1500000000000', feature: 'nothing' },
      { level: 'warn', event: 'db.statement_refused', statement: 'CREATE NOTHING' },
      {
        level: 'fatal',
        event: 'command.failed',
        service: 'animal-store',
        msg: expect.stringContaining(`The command failed: ${message}`),
        err: { type: 'MigrationError', stack: expect.stringMatching(/^Migration .*\)\n {4}at /) },
      },
    ]);
    await empty.drop();
    const behind = { ...broken.env, MIGRATIONS: 'check' };
    expect(await runCommand(database, ['keys', 'list'], behind, broken.program)).toMatchObject({ code: 0 });
  });
});

describe('a feature that another one needs', () => {
  it('cannot be off', async () => {
    const { program, env } = hosting({ features: ['features/adoptions.feature.ts'], env: { FEATURES_OFF: 'pets' } });
    const service = Service.launch({ database: { url: 'sqlite::memory:' }, program, env });
    expect(await service.exited).toEqual({ code: 1, signal: null });
    expect(service.output).toContain("feature 'adoptions' needs feature 'pets', which is not started");
  });
});

describe('FEATURES_OFF', () => {
  it('names features that there are', async () => {
    const service = Service.launch({ database: { url: 'sqlite::memory:' }, env: { FEATURES_OFF: 'pets,cats' } });
    expect(await service.exited).toEqual({ code: 78, signal: null });
    expect(service.output).toContain('FEATURES_OFF: may name only what there is: pets');
  });
});

/** Messages of Nest, TypeORM and prom-client that the platform replaces by its own. */
const RAW_WORDS = /Nest can't resolve|does not have a primary column|has already been registered/;

describe('a feature that fails to start', () => {
  it.each([
    ['construct', 'lanterns', 'No oil'],
    ['begin', 'kettles', 'No water'],
    ['configure', 'radios', 'RADIOS_STATION is missing'],
    ['ask', 'parrots', 'The database is not ready yet; ask it in onModuleInit or later'],
    [
      'find',
      'sailors',
      'Sailor needs Compass, which its module does not have; add Compass to the providers of that module',
    ],
    ['measure', 'scales', "metric 'weighings_total' does not begin with the name of a feature that is started"],
    ['count', 'abacus', "metric 'abacus_beads' was made already; make it once, in the constructor of one provider"],
    ['map', 'ghosts', 'Ghost has no primary column; give it one by @PrimaryGeneratedColumn() or @PrimaryColumn()'],
  ])('because it fails to %s is named, once', async (what, feature, reason) => {
    const features = ['features/shelves.feature.ts', `features/fails-to-${what}.feature.ts`];
    const service = Service.launch({ database: { url: 'sqlite::memory:' }, ...hosting({ features }) });
    expect(await service.exited).toEqual({ code: 1, signal: null });
    expect(service.output).toContain(`The service could not start: feature '${feature}' failed to start: ${reason}`);
    expect(service.output.split(reason)).toHaveLength(2);
    expect(service.output).not.toMatch(RAW_WORDS);
    expect(service.output).toMatch(/^ {4}at /m);
  });
});

it('a feature one of whose providers is a data source does not start', async () => {
  const features = ['features/shelves.feature.ts', 'features/fails-to-share.feature.ts'];
  const service = Service.launch({ database: { url: 'sqlite::memory:' }, ...hosting({ features }) });
  expect(await service.exited).toStrictEqual({ code: 1, signal: null });
  expect(service.output).toContain(
    "The service could not start: feature 'archives' failed to start: ARCHIVE is a DataSource of its own; " +
      'the service has one: use TypeOrmModule.forFeature\n',
  );
});

it('a feature that brings a data source by forRoot does not start, and none of its code has run', async () => {
  const features = ['features/shelves.feature.ts', 'features/second-source.feature.ts'];
  const service = Service.launch({ database: { url: 'sqlite::memory:' }, ...hosting({ features }) });
  expect(await service.exited).toStrictEqual({ code: 1, signal: null });
  expect(service.output.trim().split('\n')).toStrictEqual([
    'The features cannot start:',
    "  - feature 'cellar' has a DataSource of its own, of TypeOrmCoreModule; the service has one: use TypeOrmModule.forFeature",
  ]);
});

describe('a feature that adds handlers beside those of Nest does not start', () => {
  it.each([
    ['constructor', 'Squatter'],
    ['configure', 'SquattersModule.configure'],
    ['onModuleInit', 'Squatter.onModuleInit'],
    ['upgrade', 'Squatter.onModuleInit'],
  ])('by its %s', async (way, place) => {
    const features = ['features/fails-to-stay.feature.ts'];
    const host = hosting({ features, env: { TEST_STAYS_BY: way } });
    const service = Service.launch({ database: { url: 'sqlite::memory:' }, ...host });
    expect(await service.exited).toStrictEqual({ code: 1, signal: null });
    expect(service.output).toContain(
      `feature 'squatters' failed to start: ${place} adds handlers to Express itself, which would answer ` +
        'without a key and in a shape of their own; declare them in a controller, or as middleware by configure(consumer)',
    );
  });
});

describe('a feature whose start does not end', () => {
  it.each([
    ['factory', 'the factory of DREAM'],
    ['onModuleInit', 'Bed.onModuleInit'],
    ['onApplicationBootstrap', 'Bed.onApplicationBootstrap'],
  ])('in its %s is named, and the process ends', async (place, work) => {
    const features = ['features/shelves.feature.ts', 'features/sleeper.feature.ts'];
    const env = { TEST_SLEEPS_IN: place, STARTUP_TIMEOUT_MS: '1000' };
    const service = Service.launch({ database: { url: 'sqlite::memory:' }, ...hosting({ features, env }) });
    expect(await service.exited).toEqual({ code: 1, signal: null });
    expect(service.output).toContain(`feature 'sleeper' failed to start: not ended within 1000 ms: ${work}`);
  });
});

describe('what a handler may not do', () => {
  let database: TestDatabase;
  let service: Service;
  let client: HttpClient;

  beforeAll(async () => {
    database = await createSqliteDatabase();
    const features = ['features/misbehaver.feature.ts'];
    service = await Service.start({ database, ...hosting({ features, env: { SHED_LOOP_DELAY_MS: '0' } }) });
    client = new HttpClient(service.url, await storeKey(database));
    await client.get('/v1/pets');
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  const faults = (feature: string, kind: string): Promise<number> =>
    metricValue(service.managementUrl, 'animal_store_feature_faults_total', `feature="${feature}",kind="${kind}"`);

  it('is attributed to its feature: throw', async () => {
    expect(await client.get('/v1/misbehaves/throws')).toBeErrorShape(500, 'internal_error');
    const line = await service.untilLogged(({ event }) => event === 'request.failed');
    expect(line).toMatchObject({ level: 'error', feature: 'misbehaver', err: { message: 'A fault of its own' } });
    expect(await faults('misbehaver', 'error')).toBe(1);
  });

  it('is attributed to its feature: hang', async () => {
    const answer = await client.get('/v1/misbehaves/hangs');
    expect(answer).toBeErrorShape(503, 'service_unavailable');
    expect(answer.text).toMatch(/took too long/);
    const line = await service.untilLogged(({ event }) => event === 'request.hung');
    expect(line).toMatchObject({ level: 'error', feature: 'misbehaver' });
    expect(await faults('misbehaver', 'hang')).toBe(1);
  });

  it('is attributed to its feature: hang with a body that was read', async () => {
    const before = await faults('misbehaver', 'hang');
    const misdeed = { name: 'Never answers' };
    const answer = await client.post('/v1/misbehaves/hangs', misdeed);
    expect(answer).toBeErrorShape(503, 'service_unavailable');
    // The handler may still do its work.
    expect(answer.text).toMatch(/not known whether this was done/);
    expect(await faults('misbehaver', 'hang')).toBe(before + 1);
  });

  it('is attributed to its feature: block', async () => {
    expect((await client.get('/v1/misbehaves/blocks')).status).toBe(200);
    const line = await service.untilLogged(
      ({ event, requests }) => event === 'loop.blocked' && JSON.stringify(requests).includes('misbehaver'),
    );
    expect(line).toMatchObject({
      level: 'warn',
      requests: [{ feature: 'misbehaver', route: '/v1/misbehaves/blocks' }],
    });
    expect(await faults('misbehaver', 'block')).toBe(1);
  });

  it('is attributed to no other feature', async () => {
    for (const kind of ['error', 'hang', 'block']) expect(await faults('pets', kind)).toBe(0);
  });
});
