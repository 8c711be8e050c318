import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import { runCommand } from '../support/command.js';
import { createMysqlDatabase, type TestDatabase } from '../support/database.js';
import { onOwnServer } from '../support/engines.js';
import { FaultyProxy } from '../support/faulty-proxy.js';
import { type Answer, HttpClient } from '../support/http.js';
import { askOnConnections } from '../support/many-connections.js';
import { MariaDb } from '../support/mariadb.js';
import { metricValue } from '../support/metrics.js';
import { removeScratch, scratchFolder } from '../support/scratch.js';
import { Service } from '../support/service.js';

const POOL = 4;
const USER = "'keeper'@'%'";

onOwnServer('a login that the server refuses while the service runs', () => {
  const folder = scratchFolder('login');
  const file = join(folder, 'url');
  let server: MariaDb;
  let proxy: FaultyProxy;
  let database: TestDatabase;
  let service: Service;
  let client: HttpClient;

  beforeAll(async () => {
    server = await MariaDb.start();
    proxy = await FaultyProxy.listen(server.port);
  });

  beforeEach(async () => {
    database = await createMysqlDatabase(server.url(), server.adminUrl());
    await database.query(`DROP USER IF EXISTS ${USER}`);
    await database.query(`CREATE USER ${USER} IDENTIFIED BY 'first'`);
    await database.query(`GRANT ALL ON ${schema()}.* TO ${USER}`);
    publish('first');
    const env = {
      DATABASE_URL: undefined,
      DATABASE_URL_FILE: file,
      DATABASE_POOL_SIZE: String(POOL),
      // Slow logins must not look like refused ones.
      DATABASE_ACQUIRE_TIMEOUT_MS: '10000',
      REQUEST_DEADLINE_MS: '20000',
      RATE_LIMIT_PER_MINUTE: '0',
      API_KEY_CACHE_TTL_MS: '60000',
    };
    service = await Service.start({ database: { url: '' }, env });
    client = new HttpClient(service.url, await storeKey(database));
    expect((await client.post('/v1/pets', { name: 'First', categoryId: 1 })).status).toBe(201);
  });

  afterEach(async () => {
    await service.stop();
    await database.query(`DROP USER ${USER}`);
    await database.drop();
  });

  afterAll(async () => {
    await proxy.stop();
    await server.stop();
    removeScratch(folder);
  });

  const schema = (): string => new URL(database.url).pathname.slice(1);

  function publish(password: string): void {
    const url = new URL(proxy.through(database.url));
    [url.username, url.password] = ['keeper', password];
    writeFileSync(`${file}.new`, url.href);
    renameSync(`${file}.new`, file);
  }

  function expectRefused(answer: Answer): void {
    expect(answer).toBeErrorShape(503, 'service_unavailable');
    expect(answer.headers.get('retry-after')).toMatch(/^[1-5]$/);
  }

  async function expectBlamedOnTheLogin(code: RegExp): Promise<void> {
    const lines = service.log.filter(({ event, part }) => event === 'db.unavailable' && part === 'connect');
    const refused = lines.filter(({ msg }) => msg === REFUSED);
    expect(refused).toMatchObject([{ level: 'warn', host: `127.0.0.1:${String(proxy.port)}`, user: 'keeper' }]);
    expect((refused[0]?.['err'] as { code: string }).code).toMatch(code);
    expect(service.log.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
    expect(await metricValue(service.managementUrl, 'animal_store_feature_faults_total', 'kind="error"')).toBe(0);
  }

  const REFUSED = 'The database refuses the login; trying again. Check its password, grants and locks';
  const REFUSALS: readonly (readonly [what: string, sql: string, undo: string, code: RegExp])[] = [
    [
      'its password was changed',
      `ALTER USER ${USER} IDENTIFIED BY 'second'`,
      `ALTER USER ${USER} IDENTIFIED BY 'first'`,
      /^ER_ACCESS_DENIED_ERROR$/,
    ],
    [
      'it is locked',
      `ALTER USER ${USER} ACCOUNT LOCK`,
      `ALTER USER ${USER} ACCOUNT UNLOCK`,
      /^ER_ACCOUNT_HAS_BEEN_LOCKED$/,
    ],
    [
      'its password has expired',
      `ALTER USER ${USER} PASSWORD EXPIRE`,
      `ALTER USER ${USER} IDENTIFIED BY 'first'`,
      /^ER_MUST_CHANGE_PASSWORD(_LOGIN)?$/,
    ],
    [
      'it has no database any more',
      `REVOKE ALL PRIVILEGES, GRANT OPTION FROM ${USER}`,
      'GRANT ALL ON SCHEMA.* TO LOGIN',
      /^ER_DBACCESS_DENIED_ERROR$/,
    ],
  ];

  it.each(REFUSALS)(
    'since %s: 503 for everybody, one log line, few logins, and recovery once it is repaired',
    async (_, sql, undo, code) => {
      await database.query(sql);
      proxy.reset();
      const made = proxy.accepted;
      // Reads that share a batch, and creates that each need a connection.
      const gets = Array.from({ length: 64 }, (__, n) => client.get(`/v1/pets/${String(n + 1)}`));
      for (const answer of await Promise.all([...gets, ...askOnConnections(client, 16)])) expectRefused(answer);
      expect(proxy.accepted - made).toBeLessThanOrEqual(2 * POOL);
      for (let n = 0; n < 50; n += 1) expectRefused(await client.post('/v1/pets', { name: 'Later', categoryId: 1 }));
      await expectBlamedOnTheLogin(code);
      await database.query(undo.replace('SCHEMA', schema()).replace('LOGIN', USER));
      await service.untilLogged(({ event, part }) => event === 'db.recovered' && part === 'connect');
      expect((await client.post('/v1/pets', { name: 'After', categoryId: 1 })).status).toBe(201);
      expect(await database.query('SELECT name FROM pet ORDER BY id')).toEqual([{ name: 'First' }, { name: 'After' }]);
    },
    60_000,
  );

  it('before the secret arrives: 503 meanwhile, and then again by itself', async () => {
    await database.query(`ALTER USER ${USER} IDENTIFIED BY 'second'`);
    proxy.reset();
    expectRefused(await client.get('/v1/pets'));
    publish('second');
    await service.untilLogged(({ event, part }) => event === 'db.recovered' && part === 'connect');
    expect((await client.get('/v1/pets')).status).toBe(200);
  });

  it('beyond two connections: those two do the work, and the rest gets 503 with Retry-After', async () => {
    await database.query(`ALTER USER ${USER} WITH MAX_USER_CONNECTIONS 2`);
    proxy.reset();
    let done = 0;
    for (let round = 0; round < 10; round += 1) {
      for (const answer of await Promise.all(askOnConnections(client, 6))) {
        if (answer.status === 201) done += 1;
        else expectRefused(answer);
      }
      await sleep(50);
    }
    expect(done).toBeGreaterThan(0);
    expect(service.log.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
    expect(await metricValue(service.managementUrl, 'animal_store_feature_faults_total', 'kind="error"')).toBe(0);
    expect(await database.query('SELECT COUNT(*) AS many FROM pet')).toEqual([{ many: BigInt(done + 1) }]);
  });

  it('is reported by a command in one line', async () => {
    await database.query(`ALTER USER ${USER} ACCOUNT LOCK`);
    const url = new URL(database.url);
    [url.username, url.password] = ['keeper', 'first'];
    const { code, stdout, stderr } = await runCommand({ url: url.href }, ['keys', 'list']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^The database cannot be used: mysql:\/\/keeper:.*locked.*\n$/);
  });

  it('that lost its grant on one table: 503 and an outage that says which user, no fault of the feature', async () => {
    await database.query(`REVOKE ALL PRIVILEGES, GRANT OPTION FROM ${USER}`);
    for (const table of ['api_key', 'idempotency_record', 'migration'])
      await database.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${schema()}.${table} TO ${USER}`);
    proxy.reset();
    expectRefused(await client.post('/v1/pets', { name: 'Not granted', categoryId: 1 }));
    const line = await service.untilLogged(({ event, part }) => event === 'db.unavailable' && part === 'write');
    expect(line).toMatchObject({ level: 'warn', user: 'keeper', err: { code: 'ER_TABLEACCESS_DENIED_ERROR' } });
    expect(await metricValue(service.managementUrl, 'animal_store_feature_faults_total', 'kind="error"')).toBe(0);
  });
});
