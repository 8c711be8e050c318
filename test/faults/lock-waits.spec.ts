import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3-v13';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import mysql, { type Connection } from 'mysql2/promise';
import { storeKey } from '../support/api-keys.js';
import { type Environment, PATIENT, runCommand } from '../support/command.js';
import { createMysqlDatabase, createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { type Engine, onMysql, onOwnServer } from '../support/engines.js';
import { type Answer, HttpClient } from '../support/http.js';
import { MariaDb } from '../support/mariadb.js';
import { metricValue } from '../support/metrics.js';
import { Probes } from '../support/probes.js';
import { Service } from '../support/service.js';

/** Starts a service for the calling suite, with a client. */
function serving(createDatabase: () => Promise<TestDatabase>, env: Environment = {}) {
  const store = {} as { database: TestDatabase; service: Service; client: HttpClient };
  beforeAll(async () => {
    store.database = await createDatabase();
    store.service = await Service.start({ database: store.database, env });
    store.client = new HttpClient(store.service.url, await storeKey(store.database));
  });
  afterAll(async () => {
    await store.service.stop();
    await store.database.drop();
  });
  return store;
}

/** Expects that a command reports the lock, and no failure of the database. */
async function expectToldOfLock(database: TestDatabase, words: string, reason: RegExp): Promise<void> {
  const { code, stdout, stderr } = await runCommand(database, words.split(' '), {
    FEATURES_OFF: words.includes('--undo') ? 'pets' : undefined,
  });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^Another process holds a lock\. Try again: .+\n$/m);
  expect(stderr).toMatch(reason);
}

/** Expects a refusal that can be repeated, with the certainty that nothing was done. */
function expectNotDone(answer: Answer): void {
  expect(answer).toBeErrorShape(503, 'service_unavailable');
  expect(answer.headers.get('retry-after')).toMatch(/^[1-5]$/);
  expect((answer.json() as { message: string }).message).not.toMatch(/not known/);
}

/** A service on MySQL, and another session on its database, which is opened again for each test. */
function besideAnother(engine: Engine, env?: Environment) {
  const store = serving(() => engine.createDatabase(), env);
  const another = {} as { session: Connection };

  beforeEach(async () => {
    const url = new URL(process.env['TEST_MYSQL_ADMIN_URL'] ?? '');
    url.pathname = new URL(store.database.url).pathname;
    another.session = await mysql.createConnection(url.href);
    // An earlier run of the test may have left it behind.
    await another.session.query('DROP TABLE IF EXISTS ballast');
    for (const table of ['pet', 'idempotency_record']) await another.session.query(`DELETE FROM ${table}`);
  });

  afterEach(() => {
    another.session.destroy();
  });

  return {
    store,
    another,
    post: (name: string, key?: string): Promise<Answer> =>
      store.client.post(
        '/v1/pets',
        { name, categoryId: 1 },
        { headers: key === undefined ? {} : { 'idempotency-key': key } },
      ),
    many: async (name: string): Promise<unknown> =>
      (await store.database.query('SELECT COUNT(*) AS many FROM pet WHERE name = ?', [name]))[0]?.['many'],
    /** Locks every gap into which a row could be inserted. */
    lockRows: async (): Promise<void> => {
      await another.session.query('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ');
      await another.session.query('START TRANSACTION');
      await another.session.query('SELECT id FROM pet FOR UPDATE');
    },
  };
}

onMysql('a lock that somebody else holds for too long', (engine) => {
  const { store, another, post, many, lockRows } = besideAnother(engine);

  it('on rows: 503 with nothing done, on a connection that stays (1205)', async () => {
    await lockRows();
    expectNotDone(await post('Waits for a row'));
    expectNotDone(await post('Waits for a row', 'waits-for-a-row'));
    await another.session.query('ROLLBACK');
    expect(await many('Waits for a row')).toBe(0n);
    expect((await post('Waits for a row', 'waits-for-a-row')).status).toBe(201);
    expect(await many('Waits for a row')).toBe(1n);
  });

  it('on the table: the same for readers', async () => {
    await another.session.query('LOCK TABLES pet WRITE');
    expectNotDone(await post('Waits for the table'));
    expectNotDone(await store.client.get('/v1/pets'));
    await another.session.query('UNLOCK TABLES');
    expect(await many('Waits for the table')).toBe(0n);
    expect((await store.client.get('/v1/pets')).status).toBe(200);
  });

  it.each([
    ['all tables, as mysqldump does', 'LOCK TABLES idempotency_record READ, pet READ, api_key READ', 'UNLOCK TABLES'],
    ['its table, whole', 'LOCK TABLES idempotency_record WRITE', 'UNLOCK TABLES'],
    ['the places for records', 'SELECT id FROM idempotency_record FOR UPDATE', 'ROLLBACK'],
  ])('on %s: a fresh key is not said to be one in use', async (locked, lock, unlock) => {
    // There is a gap to lock only beside a record.
    expect((await post('Before', `before ${locked}`.replaceAll(' ', '-'))).status).toBe(201);
    await another.session.query('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    await another.session.query('START TRANSACTION');
    await another.session.query(lock);
    const key = `fresh ${locked}`.replaceAll(' ', '-');
    const name = `Fresh, ${locked}`;
    for (const answer of await Promise.all([post(name, key), post(name, key)])) expectNotDone(answer);
    await another.session.query(unlock);
    expect(await many(name)).toBe(0n);
    expect((await post(name, key)).status).toBe(201);
    expect(await many(name)).toBe(1n);
  });

  it('on an expired record: the same', async () => {
    expect((await post('Expired', 'expired')).status).toBe(201);
    await store.database.query('UPDATE idempotency_record SET expires_at = 1');
    await another.session.query('START TRANSACTION');
    await another.session.query('SELECT id FROM idempotency_record FOR UPDATE');
    expectNotDone(await post('Expired', 'expired'));
    await another.session.query('ROLLBACK');
    expect((await post('Expired', 'expired')).headers.get('idempotent-replayed')).toBeNull();
    expect(await many('Expired')).toBe(2n);
  });

  it.each([
    ['keys list', 'LOCK TABLES api_key WRITE'],
    ['migrate --undo pets --yes', 'SELECT id FROM pet FOR UPDATE'],
  ])('met by %s: reported as a lock', async (words, lock) => {
    await another.session.query('START TRANSACTION');
    await another.session.query(lock);
    await expectToldOfLock(store.database, words, /ER_LOCK_WAIT_TIMEOUT/);
  });
});

onMysql('a lock that somebody else holds for a moment', (engine) => {
  const { store, another, post, many, lockRows } = besideAnother(engine, PATIENT);

  it('is waited for', async () => {
    await lockRows();
    const answers = [post('Patient'), post('Patient', 'patient')];
    await sleep(300);
    await another.session.query('ROLLBACK');
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([201, 201]);
    expect(await many('Patient')).toBe(2n);
  });

  it('crosswise (1213): the transaction that the server rolled back is run again, once done', async () => {
    const retries = (): Promise<number> =>
      metricValue(store.service.managementUrl, 'animal_store_db_retries_total', 'code="1213"');
    const before = await retries();
    // InnoDB rolls back the transaction that has changed less.
    await another.session.query('CREATE TABLE ballast (n INT PRIMARY KEY) ENGINE=InnoDB');
    await lockRows();
    await another.session.query(
      `INSERT INTO ballast VALUES ${Array.from({ length: 500 }, (_, n) => `(${String(n)})`).join()}`,
    );
    const answer = post('Crossed', 'crossed');
    const waits = "SELECT trx_id FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'";
    // InnoDB refreshes this table only if nobody has read it for 100 ms.
    while ((await store.database.query(waits)).length === 0) await sleep(150);
    await another.session.query('SELECT id FROM idempotency_record FOR UPDATE');
    await another.session.query('COMMIT');
    expect((await answer).status).toBe(201);
    expect(await many('Crossed')).toBe(1n);
    expect((await retries()) - before).toBe(1);
  });
});

onOwnServer('FLUSH TABLES WITH READ LOCK', () => {
  let server: MariaDb;
  const store = serving(async () => {
    server = await MariaDb.start();
    return createMysqlDatabase(server.url(), server.adminUrl());
  });
  afterAll(() => server.stop());

  it('for too long: a fresh key is not said to be one in use', async () => {
    const other = await mysql.createConnection(server.adminUrl());
    const post = () =>
      store.client.post('/v1/pets', { name: 'Fresh', categoryId: 1 }, { headers: { 'idempotency-key': 'fresh' } });
    await other.query('FLUSH TABLES WITH READ LOCK');
    expectNotDone(await post());
    expect((await store.client.get('/v1/pets')).text).toBe('[]');
    await other.query('UNLOCK TABLES');
    expect((await post()).status).toBe(201);
    await other.end();
  });
});

describe('a lock that somebody else holds on sqlite', () => {
  const store = serving(createSqliteDatabase);

  it('on the file: writers get 503 with nothing done, readers go on, and the process lives', async () => {
    const probes = new Probes(store.service.managementUrl);
    const other = new Sqlite(store.database.url.slice('sqlite:'.length));
    other.exec('BEGIN IMMEDIATE');
    const posts = ['Alone', 'Keyed'].map((name) =>
      store.client.post(
        '/v1/pets',
        { name, categoryId: 1 },
        { headers: name === 'Keyed' ? { 'idempotency-key': 'k' } : {} },
      ),
    );
    expect((await store.client.get('/v1/pets')).text).toBe('[]');
    for (const answer of await Promise.all(posts)) expectNotDone(answer);
    await store.service.untilLogged(({ event, part }) => event === 'db.unavailable' && part === 'write');
    other.exec('ROLLBACK');
    other.close();
    expect((await store.client.post('/v1/pets', { name: 'Later', categoryId: 1 })).status).toBe(201);
    expect(await store.database.query('SELECT name FROM pet')).toEqual([{ name: 'Later' }]);
    await store.service.untilLogged(({ event, part }) => event === 'db.recovered' && part === 'write');
    await probes.stop();
    expect(probes.deaths).toEqual([]);
  });

  it('on the file, met by a command: reported as a lock', async () => {
    const other = new Sqlite(store.database.url.slice('sqlite:'.length));
    other.exec('BEGIN IMMEDIATE');
    await expectToldOfLock(store.database, 'keys create --name me', /database is locked \(SQLITE_BUSY\)/);
    other.close();
  });
});
