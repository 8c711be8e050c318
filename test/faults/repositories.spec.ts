import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import mysql from 'mysql2/promise';
import Sqlite from 'better-sqlite3-v13';
import { storeKey } from '../support/api-keys.js';
import { runCommand } from '../support/command.js';
import { createMysqlDatabase, createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { onOwnServer } from '../support/engines.js';
import { FaultyProxy } from '../support/faulty-proxy.js';
import { hosting } from '../support/hosting.js';
import { type Answer, HttpClient } from '../support/http.js';
import { expectWhole, LibraryLoad } from '../support/library-load.js';
import { MariaDb } from '../support/mariadb.js';
import { metricValue } from '../support/metrics.js';
import { Probes } from '../support/probes.js';
import { Service } from '../support/service.js';

const { program, env } = hosting({ features: ['features/library.feature.ts'], env: { RATE_LIMIT_PER_MINUTE: '0' } });
const LIST = '/v1/library/authors?skip=0';

const post = (client: HttpClient, kind: 'authors' | 'notes', name: string, key?: string): Promise<Answer> =>
  client.post(
    `/v1/library/${kind}`,
    { name },
    key === undefined ? {} : { headers: { 'idempotency-key': key.replaceAll(' ', '-') } },
  );

const stored = (database: TestDatabase, name: string): Promise<unknown[]> =>
  database.query('SELECT name FROM library_author WHERE name = ?', [name]);

/** Expects a refusal that can be repeated, with the certainty that nothing was done. */
function expectNotDone(answer: Answer): void {
  expect(answer).toBeErrorShape(503, 'service_unavailable');
  expect(answer.headers.get('retry-after')).toMatch(/^[1-5]$/);
  expect(answer.text).not.toMatch(/not known/);
}

onOwnServer('a feature of ordinary repositories while harm comes to its database', () => {
  let server: MariaDb;
  let next: MariaDb;
  let proxy: FaultyProxy;
  let database: TestDatabase;
  let service: Service;
  let probes: Probes;
  let client: HttpClient;

  beforeAll(async () => {
    [server, next] = await Promise.all([MariaDb.start(), MariaDb.start()]);
    proxy = await FaultyProxy.listen(server.port);
    database = await createMysqlDatabase(server.url(), server.adminUrl());
    service = await Service.start({ database: { url: proxy.through(database.url) }, program, env }, 60_000);
    client = new HttpClient(service.url, await storeKey(database));
    probes = new Probes(service.managementUrl);
  }, 300_000);

  afterAll(async () => {
    await probes.stop();
    await service.stop();
    await proxy.stop();
    await Promise.all([server.stop(), next.stop()]);
  });

  it.each<[string, () => void | Promise<void>, () => void | Promise<void>]>([
    ['its server is killed', () => server.kill(), () => server.launch()],
    ['its server hangs', () => server.pause(), () => server.resume()],
    ['its packets are dropped', () => proxy.silence(), () => proxy.heal()],
  ])(
    '%s: 503, nothing lost, nothing by halves, and well again by itself',
    async (_, harm, heal) => {
      const load = new LibraryLoad(() => client);
      load.begin();
      await load.untilAcknowledged(20);
      await harm();
      await probes.until(false, 60_000);
      const answers = [client.get(LIST), post(client, 'authors', 'Harmed'), post(client, 'notes', 'Harmed', 'harmed')];
      for (const answer of await Promise.all(answers)) expectNotDone(answer);
      await heal();
      await probes.until(true, 60_000);
      await load.untilAcknowledged(20);
      await load.expectKept([database]);
      expect((await client.get(LIST)).status).toBe(200);
      expect(probes.deaths).toEqual([]);
    },
    180_000,
  );

  it('its transactions wait for each other crosswise (1213): run again, each done once or not at all', async () => {
    const retries = (): Promise<number> =>
      metricValue(service.managementUrl, 'animal_store_db_retries_total', 'code="1213"');
    const before = await retries();
    const moves = Array.from({ length: 12 }, (_, n) => (n % 2 === 0 ? '1/2' : '2/1'));
    for (let round = 0; (await retries()) === before; round += 1) {
      if (round === 50) throw new Error('There was no deadlock');
      const answers = moves.map((move) => client.post(`/v1/library/moves/${move}`, undefined));
      for (const answer of await Promise.all(answers)) if (answer.status !== 201) expectNotDone(answer);
    }
    await expectWhole(database);
  });

  it('somebody else holds a row (1205): 503 with nothing done, and done once the row is free', async () => {
    const other = await mysql.createConnection(server.adminUrl(new URL(database.url).pathname.slice(1)));
    await other.query('START TRANSACTION');
    await other.query('SELECT * FROM library_shelf FOR UPDATE');
    expectNotDone(await post(client, 'authors', 'Waits'));
    expectNotDone(await post(client, 'authors', 'Waits', 'waits'));
    expect((await client.get(LIST)).status).toBe(200);
    await other.end();
    expect((await post(client, 'authors', 'Waits', 'waits')).status).toBe(201);
    await expectWhole(database);
  });

  it('all connections are held: the rest are refused, and none of it is done later', async () => {
    const other = await mysql.createConnection(server.adminUrl(new URL(database.url).pathname.slice(1)));
    await other.query('LOCK TABLES library_author WRITE');
    const crowd = Array.from({ length: 40 }, (_, n) => post(client, n % 2 === 0 ? 'authors' : 'notes', `Crowd ${n}`));
    for (const answer of await Promise.all(crowd)) expectNotDone(answer);
    await other.end();
    expect((await post(client, 'authors', 'Crowd, later')).status).toBe(201);
    expect(await database.query("SELECT name FROM library_author WHERE name LIKE 'Crowd%'")).toEqual([
      { name: 'Crowd, later' },
    ]);
    await expectWhole(database);
  });

  it.each(['authors', 'notes'] as const)('a table is full, as %s are stored: 503 with nothing done', async (kind) => {
    proxy.spoil(/^INSERT INTO `library_book`/, { fate: 'refused', errno: 1114 }, 2);
    const name = `Full of ${kind}`;
    expectNotDone(await post(client, kind, name));
    expectNotDone(await post(client, kind, name, name));
    expect((await post(client, kind, name, name)).status).toBe(201);
    await expectWhole(database);
  });

  it.each(['authors', 'notes'] as const)(
    'the reply to a commit is lost while %s are stored: the answer says so, it is done once, and a repeat with the same key gets it',
    async (kind) => {
      for (const key of [undefined, `lost ${kind}`]) {
        const name = `Lost, ${kind} ${key ?? 'alone'}`;
        const commits = proxy.count(/^COMMIT$/);
        proxy.spoil(/^COMMIT$/, { fate: 'reply lost' });
        const answer = await post(client, kind, name, key);
        expect(answer).toBeErrorShape(503, 'service_unavailable');
        expect(answer.text).toMatch(/It is not known whether this was done/);
        expect(proxy.count(/^COMMIT$/) - commits).toBe(1);
        expect(await stored(database, name)).toHaveLength(1);
        if (key === undefined) continue;
        const again = await post(client, kind, name, key);
        expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
      }
      await expectWhole(database);
    },
  );

  it('its writer becomes read-only and its name leads to another: reads go on, and writes after it', async () => {
    const name = new URL(database.url).pathname.slice(1);
    const successor = await createMysqlDatabase(next.url(), next.adminUrl(), name);
    expect((await runCommand({ url: successor.url }, ['migrate'], env, program)).code).toBe(0);
    const [row = {}] = await database.query('SELECT * FROM api_key');
    const marks = Object.keys(row).map(() => '?');
    await successor.query(
      `INSERT INTO api_key (${Object.keys(row).join()}) VALUES (${marks.join()})`,
      Object.values(row),
    );
    const load = new LibraryLoad(() => client);
    load.begin();
    await load.untilAcknowledged(20);
    await database.query('SET GLOBAL read_only = 1');
    const isWrite = (line: Readonly<Record<string, unknown>>): boolean =>
      line['event'] === 'db.unavailable' && (line['err'] as { errno?: number }).errno === 1290;
    await service.untilLogged(isWrite, 60_000);
    expectNotDone(await post(client, 'authors', 'Read-only'));
    expect((await client.get(LIST)).status).toBe(200);
    proxy.repoint(next.port);
    await load.untilAcknowledged(20);
    await load.expectKept([database, successor]);
    await successor.drop();
  }, 300_000);
});

describe('a feature of ordinary repositories on SQLite', () => {
  it('loses nothing, and has nothing by halves, where the service is killed under load', async () => {
    const database = await createSqliteDatabase();
    let service = await Service.start({ database, program, env });
    const key = await storeKey(database);
    let client = new HttpClient(service.url, key);
    const load = new LibraryLoad(() => client);
    load.begin();
    await load.untilAcknowledged(10);
    await service.kill('SIGKILL');
    service = await Service.start({ database, program, env });
    client = new HttpClient(service.url, key);
    await load.untilAcknowledged(10);
    await load.expectKept([database], 1, [0, 201, 409, 503]);
    await service.stop();
    await database.drop();
  });

  it('answers 503 to writers while another process has the file, and reads on', async () => {
    const database = await createSqliteDatabase();
    // The lock must end the writes, not the deadline of a request, which a machine that stands still may reach first.
    const service = await Service.start({ database, program, env: { ...env, REQUEST_DEADLINE_MS: '20000' } });
    const client = new HttpClient(service.url, await storeKey(database));
    const other = new Sqlite(database.url.slice('sqlite:'.length));
    other.exec('BEGIN IMMEDIATE');
    const answers = [post(client, 'authors', 'Waits'), post(client, 'notes', 'Waits', 'waits')];
    expect((await client.get(LIST)).json()).toEqual({ authors: [], count: 0 });
    for (const answer of await Promise.all(answers)) expectNotDone(answer);
    other.close();
    expect((await post(client, 'notes', 'Waits', 'waits')).status).toBe(201);
    await expectWhole(database);
    await service.stop();
    await database.drop();
  });
});
