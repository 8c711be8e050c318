import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import type { TestDatabase } from '../support/database.js';
import { onEachEngine } from '../support/engines.js';
import { FakeTime } from '../support/fake-time.js';
import { hosting } from '../support/hosting.js';
import { HttpClient } from '../support/http.js';
import { Service } from '../support/service.js';

onEachEngine('a clock that jumps', (engine) => {
  // As when a clock is set: monotonic clocks do not change.
  const time = new FakeTime({ timers: false });
  let database: TestDatabase;
  let service: Service;
  let client: HttpClient;

  beforeAll(async () => {
    database = await engine.createDatabase();
    service = await Service.start({
      database,
      ...hosting({ features: ['features/thrower.feature.ts'], env: time.env }),
    });
    client = new HttpClient(service.url, await storeKey(database));
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
    time.remove();
  });

  it.each([
    ['an hour ahead', '+3600'],
    ['an hour back', '-3600'],
  ])('%s: keys stay valid, nothing times out, durations are right', async (_, to) => {
    await time.jump('+0');
    const headers = { 'idempotency-key': `clock${to}` };
    const first = await client.post('/v1/pets', { name: 'Lumi', categoryId: 1 }, { headers });
    expect(first.status).toBe(201);
    const from = service.log.length;
    const slow = client.get('/v1/throws/slow');
    await time.jump(to);
    expect((await slow).status).toBe(200);
    for (let turn = 0; turn < 20; turn++) expect((await client.get('/v1/pets')).status).toBe(200);
    const again = await client.post('/v1/pets', { name: 'Lumi', categoryId: 1 }, { headers });
    expect([again.status, again.text]).toEqual([201, first.text]);
    await sleep(2500);
    expect((await new HttpClient(service.managementUrl).get('/readyz')).status).toBe(200);
    const lines = service.log.slice(from);
    expect(lines.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
    const durations = lines.flatMap(({ http }) => (http as { duration_ms?: number } | undefined)?.duration_ms ?? []);
    expect(durations.length).toBeGreaterThan(20);
    expect(durations.every((duration) => duration >= 0 && duration < 60_000)).toBe(true);
    const shift = Number(to) * 1000;
    const logged = Date.parse(String(service.log.at(-1)?.['time'])) - shift;
    expect(Math.abs(logged - Date.now())).toBeLessThan(600_000);
  });

  it('past the day of a sunset: what it removes is gone, the rest is as it was', async () => {
    const { id } = (await client.post('/v1/pets', { name: 'Otso', categoryId: 1 })).json() as { id: number };
    expect((await client.get(`/v1/pets/${String(id)}`)).status).toBe(200);
    await time.jump('@2030-12-06 00:00:00');
    expect(await client.get(`/v1/pets/${String(id)}`)).toBeErrorShape(410, 'operation_removed');
    expect((await client.get('/v1/pets')).status).toBe(200);
    await time.jump('+0');
    expect((await client.get(`/v1/pets/${String(id)}`)).status).toBe(200);
  });
});
