import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import autocannon from 'autocannon';
import { storeKey } from '../support/api-keys.js';
import { createSqliteDatabase } from '../support/database.js';
import { hosting } from '../support/hosting.js';
import { type Answer, HttpClient } from '../support/http.js';
import { leftovers } from '../support/leftovers.js';
import { metricValue } from '../support/metrics.js';
import { Probes } from '../support/probes.js';
import { Service } from '../support/service.js';

/** Clients that repeat at once, whatever the answer. Two seconds of work are waiting at any time. */
const CLIENTS = 100;

describe('more requests than can be done', () => {
  it('are served or refused, probes are never refused, and the overload passes', async () => {
    const database = await createSqliteDatabase();
    const env = { SHED_MAX_INFLIGHT: '10', SHED_LOOP_DELAY_MS: '100', RATE_LIMIT_PER_MINUTE: '0' };
    const service = await Service.start({
      database,
      ...hosting({ features: ['features/furnace.feature.ts'], env }),
    });
    const key = await storeKey(database);
    const client = new HttpClient(service.url, key);
    const probes = new Probes(service.managementUrl);
    await probes.until(true, 60_000);
    const flood = autocannon({
      url: `${service.url}/v1/burns`,
      headers: { authorization: `Bearer ${key}` },
      connections: CLIENTS,
      duration: 60,
    });
    const stopFlood = (): void => (flood as unknown as { stop(): void }).stop();
    leftovers.add(stopFlood);
    const start = performance.now();
    let refusal: Answer | undefined;
    while (refusal === undefined && performance.now() < start + 40_000) {
      const answers = await Promise.all(Array.from({ length: 10 }, () => client.get('/v1/burns')));
      refusal = answers.find(({ status }) => status !== 200);
    }
    expect(refusal).toBeErrorShape(503, 'service_unavailable');
    expect(refusal?.headers.get('retry-after')).toMatch(/^[1-5]$/);
    // The probes must have been polled for some time.
    await sleep(Math.max(0, start + 5000 - performance.now()));
    stopFlood();

    const { statusCodeStats = {}, errors, timeouts } = await flood;
    expect(Object.keys(statusCodeStats).sort()).toEqual(['200', '503']);
    expect([errors, timeouts]).toEqual([0, 0]);
    expect(await metricValue(service.managementUrl, 'animal_store_requests_shed_total')).toBeGreaterThan(0);
    expect(probes.deaths).toEqual([]);
    const causes = service.log.filter(({ code }) => code === 'service_unavailable').map(({ cause }) => cause);
    expect(['SHED_IN_FLIGHT', 'SHED_LOOP_DELAY']).toStrictEqual(expect.arrayContaining([...new Set(causes)]));
    await probes.until(true, 1000);
    await probes.stop();

    while ((await client.get('/v1/burns')).status !== 200);
    for (let turn = 0; turn < 5; turn++) expect((await client.get('/v1/burns')).status).toBe(200);
    await service.stop();
    await database.drop();
  });
});
