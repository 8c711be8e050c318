import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { inventKey, storeKey } from '../support/api-keys.js';
import { createMysqlDatabase, type TestDatabase } from '../support/database.js';
import { onOwnServer } from '../support/engines.js';
import { FaultyProxy } from '../support/faulty-proxy.js';
import { noteFigure } from '../support/figures.js';
import { type Answer, HttpClient } from '../support/http.js';
import { MariaDb } from '../support/mariadb.js';
import { metricValue } from '../support/metrics.js';
import { Probes } from '../support/probes.js';
import { openDescriptors } from '../support/process-size.js';
import { Service } from '../support/service.js';

/** Milliseconds for which the database hangs, and requests per second during that time. */
const HANG_MS = Number(process.env['FAULT_HANG_MS'] ?? 4000);
const RATE = Number(process.env['FAULT_RATE'] ?? 40);

/** The service's timeouts, short enough to be told apart from the delays of a busy machine. */
const LIMITS = { DATABASE_ACQUIRE_TIMEOUT_MS: '300', DATABASE_QUERY_TIMEOUT_MS: '400' };
/**
 * The look-up of a key and the operation may each use a whole timeout. REQUEST_DEADLINE_MS would end both after 3
 * seconds.
 */
const DEADLINES_MS = 2 * (300 + 400);

onOwnServer('a database that does not answer', () => {
  let server: MariaDb;
  let proxy: FaultyProxy;
  let database: TestDatabase;
  let service: Service;
  let probes: Probes;
  let client: HttpClient;

  beforeAll(async () => {
    server = await MariaDb.start();
    proxy = await FaultyProxy.listen(server.port);
    database = await createMysqlDatabase(server.url(), server.adminUrl());
    service = await Service.start({ database: { url: proxy.through(database.url) }, env: LIMITS });
    client = new HttpClient(service.url, await storeKey(database));
    probes = new Probes(service.managementUrl);
  });

  afterAll(async () => {
    await probes.stop();
    await service.kill('SIGKILL');
    await proxy.stop();
    await database.drop();
    await server.stop();
  });

  interface Timed {
    readonly answer: Answer;
    readonly ms: number;
  }

  async function timed(request: () => Promise<Answer>): Promise<Timed> {
    const from = performance.now();
    return { answer: await request(), ms: performance.now() - from };
  }

  /** Sends reads, writes and writes with an Idempotency-Key at a constant rate. */
  async function ask(forMs: number): Promise<Timed[]> {
    const asked: Promise<Timed>[] = [];
    for (const end = performance.now() + forMs; performance.now() < end; await sleep(1000 / RATE)) {
      const n = asked.length;
      const body = { name: `Hung ${String(n)}`, categoryId: 1 };
      const headers = { 'idempotency-key': `hung-${String(performance.now())}` };
      const kinds = [
        () => client.get('/v1/pets'),
        () => client.post('/v1/pets', body),
        () => client.post('/v1/pets', body, { headers }),
        () => client.get('/v1/pets/1'),
      ];
      asked.push(timed(kinds[n % kinds.length]!));
    }
    return Promise.all(asked);
  }

  const descriptors = (): number => openDescriptors(service.pid ?? 0);
  const events = (name: string): number => service.log.filter(({ event }) => event === name).length;

  it.each([
    ['its process is stopped', () => server.pause(), () => server.resume()],
    ['its packets are dropped', () => proxy.silence(), () => proxy.heal()],
  ])(
    '%s: 503 in time, not ready, alive, and well again by itself',
    async (_, hang, wake) => {
      await ask(500);
      // Opens as many client connections as the test needs. The pool may not have all of its ten connections yet.
      await Promise.all(Array.from({ length: 64 }, (_, n) => client.get(`/v1/pets/${String(n + 1)}`)));
      const [most, outagesBefore] = [descriptors() + 10, events('db.unavailable')];
      hang();
      const notReady = probes.until(false, 60_000);
      const answers = await ask(HANG_MS);
      noteFigure('the database hangs: not ready', await notReady, 5000);
      const readiness = await new HttpClient(service.managementUrl).get('/readyz');
      expect(readiness.json()).toStrictEqual({
        status: 'failing',
        checks: { schema: 'ok', database: 'failing', accepting: 'ok' },
        reasons: { database: 'timeout' },
      });
      for (const { answer, ms } of answers) {
        expect(answer).toBeErrorShape(503, 'service_unavailable');
        expect(answer.headers.get('retry-after')).toMatch(/^[1-5]$/);
        expect(answer.text).not.toMatch(/SELECT|INSERT|127\.0\.0\.1|mysql/i);
        // A busy machine may be late by a second.
        expect(ms).toBeLessThan(DEADLINES_MS + 1250);
      }
      noteFigure('the database hangs: slowest 503', Math.max(...answers.map(({ ms }) => ms)), DEADLINES_MS + 250);
      noteFigure('the database hangs: slowest /livez', probes.slowestLivez, 100);
      expect(events('request.hung')).toBe(0);
      const lines = events('db.unavailable') - outagesBefore;
      expect(lines).toBeGreaterThanOrEqual(1);
      expect(lines).toBeLessThanOrEqual(9);

      wake();
      noteFigure('the database hangs no more: ready', await probes.until(true, 60_000), 3000);
      expect((await ask(500)).map(({ answer }) => answer.status).filter((status) => status >= 300)).toEqual([]);
      expect(events('db.recovered')).toBeGreaterThanOrEqual(1);
      // The connections that hung are closed on both sides.
      for (const limit = Date.now() + 60_000; descriptors() > most && Date.now() < limit;) await sleep(50);
      expect(descriptors()).toBeLessThanOrEqual(most);
      expect(probes.deaths).toEqual([]);
    },
    HANG_MS + 60_000,
  );

  it('stops at once while its database hangs, 0', async () => {
    const pausedService = await Service.start({ database: { url: proxy.through(database.url) }, env: LIMITS });
    server.pause();
    const other = new HttpClient(pausedService.url, inventKey());
    const asked = other.get('/v1/pets');
    // The service must have received the request before SIGTERM, after which it accepts none.
    while ((await metricValue(pausedService.managementUrl, 'http_server_active_requests')) < 1) await sleep(10);
    expect(await pausedService.stop()).toEqual({ code: 0, signal: null });
    expect((await asked).status).toBe(503);
    server.resume();
  });
});
