import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import type { TestDatabase } from '../support/database.js';
import { onEachEngine } from '../support/engines.js';
import { FakeTime } from '../support/fake-time.js';
import { HttpClient } from '../support/http.js';
import { metricValue } from '../support/metrics.js';
import { Service } from '../support/service.js';

/** More than two statements delete. */
const EXPIRED = 1201;
/** Seconds after which each replica has purged expired records once. */
const ONE_ROUND = 120;
/** Each engine's error code for a missing table. */
const MISSING_TABLE = { mysql: 'ER_NO_SUCH_TABLE', sqlite: 'SQLITE_ERROR' };

onEachEngine('expired records of Idempotency-Key', (engine) => {
  const time = new FakeTime({ timers: true });
  let database: TestDatabase;
  let replicas: Service[];
  let client: HttpClient;
  /** Seconds by which the replicas' clocks are ahead. */
  let elapsed = 0;
  const nextRound = () => time.jump(`+${String((elapsed += ONE_ROUND))}`);

  beforeAll(async () => {
    database = await engine.createDatabase();
    replicas = [await Service.start({ database, env: time.env })];
    if (engine.name === 'mysql') replicas.push(await Service.start({ database, env: time.env }));
    client = new HttpClient(replicas[0]!.url, await storeKey(database));
  });

  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.stop()));
    await database.drop();
    time.remove();
  });

  const countRecords = async (): Promise<unknown> =>
    (await database.query('SELECT COUNT(*) AS many FROM idempotency_record'))[0]?.['many'];

  it('are deleted, though replicas get to it at the same moment, and no others', async () => {
    const post = () =>
      client.post('/v1/pets', { name: 'Lumi', categoryId: 1 }, { headers: { 'idempotency-key': 'live' } });
    const first = await post();
    expect(first.status).toBe(201);
    const records = Array.from({ length: EXPIRED }, (_, n) => `('expired-${n}', 'x', '{}', ${Date.now() - n})`);
    const insert = 'INSERT INTO idempotency_record (id, fingerprint, answer, expires_at) VALUES';
    await database.query(`${insert} ${records.join(', ')}`);

    await nextRound();
    while ((await countRecords()) !== 1n) await sleep(50);
    const again = await post();
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
  });

  it('that cannot be deleted are logged once, and counted', async () => {
    const service = replicas[0]!;
    await database.query('ALTER TABLE idempotency_record RENAME TO put_aside');
    for (const round of [1, 2]) {
      await nextRound();
      while ((await metricValue(service.managementUrl, 'animal_store_idempotency_purge_failures_total')) < round)
        await sleep(50);
    }
    await database.query('ALTER TABLE put_aside RENAME TO idempotency_record');
    await nextRound();
    const event = await service.untilLogged((line) => line['event'] === 'idempotency.purge_recovered');
    expect(event).toMatchObject({ level: 'info' });
    // On a slow machine a purge may also have timed out on a lock of the RENAME itself.
    const waited = /ER_LOCK_WAIT_TIMEOUT|DATABASE_TIMEOUT|SQLITE_BUSY/;
    const isWait = (line: Readonly<Record<string, unknown>>): boolean =>
      line['event'] === 'idempotency.purge_failed' && waited.test(JSON.stringify(line));
    const lines = service.log.filter((line) => String(line['event']).startsWith('idempotency.') && !isWait(line));
    expect(lines).toMatchObject([
      { event: 'idempotency.purge_failed', level: 'warn', err: { code: MISSING_TABLE[engine.name] } },
      { event: 'idempotency.purge_recovered', level: 'info' },
    ]);
  });

  // SQLite uses the clock of its host.
  if (engine.name === 'sqlite') return;

  it('are those that have expired by the clock of the database', async () => {
    const post = () =>
      client.post('/v1/pets', { name: 'Otso', categoryId: 1 }, { headers: { 'idempotency-key': 'a-day-ahead' } });
    const first = await post();
    expect(first.status).toBe(201);
    await database.query("INSERT INTO idempotency_record VALUES ('expired', 'x', '{}', 1)");
    elapsed += 90_000;
    await nextRound();
    while ((await database.query("SELECT id FROM idempotency_record WHERE id = 'expired'")).length > 0) await sleep(50);
    const again = await post();
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
  });
});
