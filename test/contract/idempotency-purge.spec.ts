import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import type { TestDatabase } from '../support/database.js';
import { onEachEngine } from '../support/engines.js';
import { FakeTime } from '../support/fake-time.js';
import { HttpClient } from '../support/http.js';
import { Service } from '../support/service.js';

/** More than two statements delete. */
const EXPIRED = 1201;
/** Seconds after which each replica has looked for expired records once. */
const ONE_ROUND = 120;

onEachEngine('expired records of Idempotency-Key', (engine) => {
  const time = new FakeTime({ timers: true });
  let database: TestDatabase;
  let replicas: Service[];

  beforeAll(async () => {
    database = await engine.createDatabase();
    replicas = [await Service.start({ database, env: time.env })];
    if (engine.name === 'mysql') replicas.push(await Service.start({ database, env: time.env }));
  });

  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.stop()));
    await database.drop();
    time.remove();
  });

  const countRecords = async (): Promise<unknown> =>
    (await database.query('SELECT COUNT(*) AS many FROM idempotency_record'))[0]?.['many'];

  it('are deleted, though replicas get to it at the same moment, and no others', async () => {
    const client = new HttpClient(replicas[0]!.url, await storeKey(database));
    const post = () =>
      client.post('/v1/pets', { name: 'Lumi', categoryId: 1 }, { headers: { 'idempotency-key': 'live' } });
    const first = await post();
    expect(first.status).toBe(201);
    const records = Array.from({ length: EXPIRED }, (_, n) => `('expired-${n}', 'x', '{}', ${Date.now() - n})`);
    const insert = 'INSERT INTO idempotency_record (id, fingerprint, answer, expires_at) VALUES';
    await database.query(`${insert} ${records.join(', ')}`);

    await time.jump(`+${ONE_ROUND}`);
    while ((await countRecords()) !== 1n) await sleep(50);
    const again = await post();
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
  });
});
