import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import mysql from 'mysql2/promise';
import { storeKey } from '../support/api-keys.js';
import { createMysqlDatabase, type TestDatabase } from '../support/database.js';
import { onOwnServer } from '../support/engines.js';
import { FaultyProxy } from '../support/faulty-proxy.js';
import { noteFigure } from '../support/figures.js';
import { HttpClient } from '../support/http.js';
import { Ledger } from '../support/ledger.js';
import { askOnConnections } from '../support/many-connections.js';
import { MariaDb } from '../support/mariadb.js';
import { metricValue } from '../support/metrics.js';
import { Probes } from '../support/probes.js';
import { exchangeRaw } from '../support/raw-http.js';
import { Service } from '../support/service.js';

const CLIENTS = Number(process.env['FAULT_CLIENTS'] ?? 300);
const POOL = 10;

/** Long enough that a slow machine is not taken for a fault. */
const PATIENT = {
  DATABASE_ACQUIRE_TIMEOUT_MS: '3000',
  DATABASE_CONNECT_TIMEOUT_MS: '3000',
  DATABASE_QUERY_TIMEOUT_MS: '3000',
  REQUEST_DEADLINE_MS: '20000',
};

onOwnServer('connections to the database', () => {
  let server: MariaDb;
  let database: TestDatabase;
  let key: string;

  beforeAll(async () => {
    server = await MariaDb.start();
    database = await createMysqlDatabase(server.url(), server.adminUrl());
    const first = await Service.start({ database });
    key = await storeKey(database);
    await first.stop();
  });

  afterAll(async () => {
    await database.drop();
    await server.stop();
  });

  /** The number of connections of the service's user. */
  async function connections(): Promise<number> {
    const [row] = await database.query(
      "SELECT COUNT(*) AS many FROM information_schema.processlist WHERE user = 'store'",
    );
    return Number(row?.['many']);
  }

  const keyedPost = (url: string, n: number): Promise<{ status: number; headers: Headers; text: string }> => {
    const body = `{"name":"Crowd ${String(n)}","categoryId":1}`;
    const head = [
      'POST /v1/pets HTTP/1.1',
      'Host: pets.test',
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      `Content-Length: ${String(body.length)}`,
      // With a key each create uses its own connection. Others would share a statement.
      `Idempotency-Key: crowd-${String(n)}`,
    ];
    return exchangeRaw(url, `${head.join('\r\n')}\r\n\r\n${body}`);
  };

  it('all held by a lock: the rest are refused in time, no more are opened, and all is well once it is gone', async () => {
    const service = await Service.start({ database, env: { SHED_MAX_INFLIGHT: '0', REQUEST_DEADLINE_MS: '20000' } });
    const probes = new Probes(service.managementUrl);
    const holder = await mysql.createConnection(server.adminUrl(new URL(database.url).pathname.slice(1)));
    await holder.query('LOCK TABLES pet WRITE');
    let most = 0;
    const answered = new AbortController();
    const watching = (async () => {
      for (; !answered.signal.aborted; await sleep(50)) most = Math.max(most, await connections());
    })();
    const times: number[] = [];
    const from = performance.now();
    const refused = async (n: number) => {
      const answer = await keyedPost(service.url, n);
      times.push(performance.now() - from);
      return answer;
    };
    const answers = await Promise.all(Array.from({ length: CLIENTS }, (_, n) => refused(n)));
    noteFigure('all connections are busy: slowest 503 of those without one', times[CLIENTS - POOL - 1] ?? 0, 1250);
    answered.abort();
    await watching;
    for (const answer of answers) {
      expect(answer).toBeErrorShape(503, 'service_unavailable');
      expect(answer.headers.get('retry-after')).toMatch(/^[1-5]$/);
    }
    expect(most).toBeLessThanOrEqual(POOL);
    expect(service.log.filter(({ event }) => event === 'request.hung')).toEqual([]);
    await holder.query('UNLOCK TABLES');
    const unlocked = performance.now();
    expect((await keyedPost(service.url, CLIENTS)).status).toBe(201);
    noteFigure('connections are free again: first 201', performance.now() - unlocked, 1000);
    // None of the refused creates was carried out later.
    expect(await database.query("SELECT COUNT(*) AS many FROM pet WHERE name LIKE 'Crowd %'")).toEqual([{ many: 1n }]);
    expect(probes.deaths).toEqual([]);
    await probes.stop();
    await holder.end();
    await service.stop();
  });

  it('fewer on the server than three replicas would open: shaped 503s, no crash, nothing lost', async () => {
    const services = await Promise.all(
      Array.from({ length: 3 }, () => Service.start({ database, env: { RATE_LIMIT_PER_MINUTE: '0' } }, 60_000)),
    );
    await database.query('SET GLOBAL max_connections = 15');
    const probes = services.map((service) => new Probes(service.managementUrl));
    const ledgers = services.map((service) => {
      return new Ledger(() => new HttpClient(service.url, key), { posters: 20, keyed: true });
    });
    for (const ledger of ledgers) ledger.begin();
    await Promise.all(ledgers.map((ledger) => ledger.untilAcknowledged(40, 60_000)));
    expect(await connections()).toBeLessThanOrEqual(15);
    await Promise.all(ledgers.map((ledger) => ledger.end()));
    for (const ledger of ledgers) {
      expect([201, 409, 503]).toEqual(expect.arrayContaining([...ledger.statuses.keys()]));
      for (const answer of ledger.answers)
        if (answer.status === 503) expect(answer).toBeErrorShape(503, 'service_unavailable');
      expect(await ledger.audit(database)).toEqual({ lost: [], doubled: [], denied: [], extras: [] });
    }
    await Promise.all(probes.map((each) => each.until(true, 60_000)));
    expect(probes.flatMap(({ deaths }) => deaths)).toEqual([]);
    for (const each of probes) await each.stop();
    expect(await Promise.all(services.map((service) => service.stop()))).toEqual(
      services.map(() => ({ code: 0, signal: null })),
    );
    await database.query('SET GLOBAL max_connections = 500');
  }, 300_000);

  describe('that were idle', () => {
    let proxy: FaultyProxy;
    let service: Service;
    let client: HttpClient;

    beforeAll(async () => {
      await database.query('SET GLOBAL wait_timeout = 5');
      proxy = await FaultyProxy.listen(server.port);
      // Without the readiness check nothing else uses the connections.
      const env = { READINESS_CHECKS_DATABASE: 'false', API_KEY_CACHE_TTL_MS: '60000', ...PATIENT };
      service = await Service.start({ database: { url: proxy.through(database.url) }, env });
      client = new HttpClient(service.url, key);
    });

    afterAll(async () => {
      await service.stop();
      await proxy.stop();
    });

    it.each([
      ['closed by the server (wait_timeout)', () => sleep(6500)],
      ['forgotten by a firewall that answers with a reset', () => forgotten('reset')],
      ['forgotten by a firewall that answers nothing', () => forgotten('nothing')],
    ])('and were %s cost no request', async (what, idle) => {
      // Several, so that the dead connection is not the last one.
      await Promise.all(askOnConnections(client, 8));
      await idle();
      expect((await client.get('/v1/pets')).status).toBe(200);
      await idle();
      expect((await client.post('/v1/pets', { name: `After idling ${what}`, categoryId: 1 })).status).toBe(201);
      expect(await metricValue(service.managementUrl, 'animal_store_db_retries_total')).toBe(0);
    });

    async function forgotten(answer: 'reset' | 'nothing'): Promise<void> {
      await sleep(1200);
      proxy.forget(answer);
    }
  });
});
