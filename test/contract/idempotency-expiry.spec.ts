import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import type { TestDatabase } from '../support/database.js';
import { onEachEngine } from '../support/engines.js';
import { hosting } from '../support/hosting.js';
import { type Answer, HttpClient } from '../support/http.js';
import { Service } from '../support/service.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

onEachEngine('the record of an Idempotency-Key', (engine) => {
  let database: TestDatabase;
  let service: Service;
  let apiKey: string;
  let client: HttpClient;

  beforeAll(async () => {
    database = await engine.createDatabase();
    service = await Service.start({ database });
    apiKey = await storeKey(database);
    client = new HttpClient(service.url, apiKey);
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  const keyed = (key: string, name: string, by = client): Promise<Answer> =>
    by.post('/v1/pets', { name, categoryId: 7 }, { headers: { 'idempotency-key': key } });
  const petsCalled = async (name: string) =>
    (await database.query('SELECT COUNT(*) AS many FROM pet WHERE name = ?', [name]))[0]?.['many'];

  function expectReplay(again: Answer, first: Answer): void {
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  }

  const expiresIn = async (): Promise<number> => {
    const [{ last } = {}] = await database.query('SELECT MAX(expires_at) AS last FROM idempotency_record');
    return Number(last) - Date.now();
  };
  /** Lets the records age, as if time had passed for the database. */
  const age = (byMs: number) =>
    database.query('UPDATE idempotency_record SET expires_at = expires_at - ?', [String(byMs)]);

  it('lives for 24 hours', async () => {
    const first = await keyed('day', 'Day');
    expect(Math.abs((await expiresIn()) - DAY_MS)).toBeLessThan(60_000);
    await age(DAY_MS - 600_000);
    expectReplay(await keyed('day', 'Day'), first);
    await age(600_000);
    const anew = await keyed('day', 'Day');
    expect([anew.status, anew.headers.get('idempotent-replayed')]).toEqual([201, null]);
    expect(anew.text).not.toBe(first.text);
    expect(await petsCalled('Day')).toBe(2n);
    expectReplay(await keyed('day', 'Day'), anew);
    await age(DAY_MS);
    // The record has expired, so another body is accepted and recorded.
    expect((await keyed('day', 'Another')).status).toBe(201);
    expect(await keyed('day', 'Day')).toBeErrorShape(422, 'idempotency_key_reused');
  });

  it('lives as long by a process whose clock is wrong', async () => {
    const first = await keyed('ahead', 'Ahead');
    await service.stop();
    for (const laterMs of [DAY_MS + HOUR_MS, -DAY_MS - HOUR_MS]) {
      const wrong = await Service.start({ database, ...hosting({ laterMs }) });
      const by = new HttpClient(wrong.url, apiKey);
      expectReplay(await keyed('ahead', 'Ahead', by), first);
      expect((await keyed(`made-by-${String(laterMs)}`, 'Wrong', by)).status).toBe(201);
      expect(Math.abs((await expiresIn()) - DAY_MS)).toBeLessThan(60_000);
      await wrong.stop();
    }
    expect(await petsCalled('Ahead')).toBe(1n);
    service = await Service.start({ database, env: { IDEMPOTENCY_RETENTION_MS: String(HOUR_MS) } });
    client = new HttpClient(service.url, apiKey);
  });

  it('lives as long as IDEMPOTENCY_RETENTION_MS says', async () => {
    await database.query('DELETE FROM idempotency_record');
    const first = await keyed('hour', 'Hour');
    expect(Math.abs((await expiresIn()) - HOUR_MS)).toBeLessThan(60_000);
    await age(3_000_000);
    expectReplay(await keyed('hour', 'Hour'), first);
    await age(600_000);
    expect((await keyed('hour', 'Hour')).headers.get('idempotent-replayed')).toBeNull();
  });
});
