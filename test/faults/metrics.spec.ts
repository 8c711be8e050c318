import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { onMysql } from '../support/engines.js';
import { HttpClient } from '../support/http.js';
import { askOnConnections } from '../support/many-connections.js';
import { metricValue } from '../support/metrics.js';
import { RawConnection } from '../support/raw-http.js';
import { Service } from '../support/service.js';

const MAX_CONNECTIONS = 20;
const AT_ONCE = 10;

describe('metrics', () => {
  let database: TestDatabase;
  let service: Service;

  beforeAll(async () => {
    database = await createSqliteDatabase();
    const env = { HTTP_MAX_CONNECTIONS: String(MAX_CONNECTIONS), AUTH_FAILURES_PER_MINUTE: '0' };
    service = await Service.start({ database, env });
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  const series = async (): Promise<number> => {
    const { text } = await new HttpClient(service.managementUrl).get('/metrics');
    return text.split('\n').filter((line) => /^(http|db|pets)_/.test(line) && !line.includes('_bucket')).length;
  };
  const refused = (reason: string): Promise<number> =>
    metricValue(service.managementUrl, 'animal_store_connections_refused_total', `reason="${reason}"`);

  it('have no more series after a thousand paths that nobody knows', async () => {
    const client = new HttpClient(service.url);
    const ask = (): Promise<unknown> => {
      const unknown = randomBytes(8).toString('hex');
      const paths = [`/${unknown}`, `/v1/${unknown}`, `/v1/pets/${unknown}`, `/v1/pets?${unknown}=${unknown}`];
      return client.get(paths[Math.floor(Math.random() * paths.length)]!, { headers: { authorization: unknown } });
    };
    await ask();
    const before = await series();
    for (let asked = 0; asked < 1000; asked += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, ask));
    }
    // A sum and a count for each new combination of route and error, and a counter of its reason.
    expect((await series()) - before).toBeLessThanOrEqual(10);
  });

  it('count what is refused before it is a request', async () => {
    for (const [bytes, reason] of [
      ['this is no HTTP\r\n\r\n', 'bad_request'],
      [`GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(30_000)}\r\n\r\n`, 'headers_too_large'],
    ] as const) {
      const before = await refused(reason);
      const connection = await RawConnection.open(service.url);
      connection.send(bytes);
      await connection.receive();
      connection.close();
      expect(await refused(reason)).toBe(before + 1);
    }
  });

  it('count CONNECT as the request that it is', async () => {
    const connection = await RawConnection.open(service.url);
    connection.send('CONNECT a.test:443 HTTP/1.1\r\nHost: a.test\r\n\r\n');
    expect((await connection.receive()).status).toBe(400);
    expect(await connection.untilClosed()).toBe(true);
    const count = 'http_server_request_duration_seconds_count';
    while ((await metricValue(service.managementUrl, count, 'http_request_method="CONNECT"')) < 1) await sleep(20);
  });

  it('count connections beyond HTTP_MAX_CONNECTIONS', async () => {
    const opened = await Promise.all(
      Array.from({ length: MAX_CONNECTIONS + 5 }, () => RawConnection.open(service.url)),
    );
    while ((await refused('too_many_connections')) < 5) await sleep(20);
    for (const connection of opened) connection.close();
  });
});

onMysql('metrics of the pool', (engine) => {
  let database: TestDatabase;
  let service: Service;

  beforeAll(async () => {
    database = await engine.createDatabase();
    const env = { DATABASE_POOL_SIZE: '2', DATABASE_ACQUIRE_TIMEOUT_MS: '1000', REQUEST_DEADLINE_MS: '20000' };
    service = await Service.start({ database, env: { ...env, DATABASE_QUERY_TIMEOUT_MS: '10000' } });
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  const pool = (name: string, labels = 'db_client_connection_pool_name="mysql"'): Promise<number> =>
    metricValue(service.managementUrl, `db_client_connection_${name}`, labels);

  it('report a pool that is used up', async () => {
    const client = new HttpClient(service.url, await storeKey(database));
    expect((await client.get('/v1/pets')).status).toBe(200);
    expect(await pool('max')).toBe(2);
    expect(await pool('timeouts_total')).toBe(0);
    const waited = await pool('wait_time_seconds_count');
    expect(waited).toBeGreaterThan(0);
    expect(await pool('use_time_seconds_count')).toBeGreaterThan(0);

    await database.query('LOCK TABLES pet WRITE');
    const asked = askOnConnections(client, 5);
    while ((await pool('pending_requests')) < 3) await sleep(5);
    expect(await pool('count', 'state="used"')).toBe(2);
    while ((await pool('timeouts_total')) < 3) await sleep(20);
    await database.query('UNLOCK TABLES');
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([201, 201, 503, 503, 503]);
    while ((await pool('count', 'state="used"')) > 0) await sleep(20);
    expect(await pool('count', 'state="idle"')).toBe(2);
    expect(await pool('pending_requests')).toBe(0);
    expect(await pool('wait_time_seconds_count')).toBeGreaterThanOrEqual(waited + 2);
  });
});
