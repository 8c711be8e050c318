import { expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import { onMysql } from '../support/engines.js';
import { hosting } from '../support/hosting.js';
import { HttpClient } from '../support/http.js';
import { metricValue } from '../support/metrics.js';
import { RawConnection } from '../support/raw-http.js';
import { Service } from '../support/service.js';

onMysql('a stop with handlers that are stuck', (engine) => {
  it('names each of them, cuts them off at the limit, and exits with 1', async () => {
    const database = await engine.createDatabase();
    const env = {
      DATABASE_QUERY_TIMEOUT_MS: '20000',
      REQUEST_DEADLINE_MS: '30000',
      SHUTDOWN_DELAY_MS: '200',
      SHUTDOWN_TIMEOUT_MS: '1000',
    };
    const service = await Service.start({ database, ...hosting({ features: ['features/sleeper.feature.ts'], env }) });
    const key = await storeKey(database);
    expect((await new HttpClient(service.url, key).get('/v1/pets')).status).toBe(200);
    await database.query('LOCK TABLES pet WRITE');
    const headers = `HTTP/1.1\r\nHost: pets.test\r\nAuthorization: Bearer ${key}\r\n`;
    const body = '{"name":"Lumi","categoryId":1}';
    const stuck = [
      `POST /v1/pets ${headers}X-Request-Id: locked-out\r\nContent-Type: application/json\r\nContent-Length: ${String(body.length)}\r\n\r\n${body}`,
      `GET /v1/naps/endless ${headers}X-Request-Id: asleep\r\n\r\n`,
    ];
    const clients = await Promise.all(stuck.map(() => RawConnection.open(service.url)));
    clients.forEach((client, at) => client.send(stuck[at]!));
    while ((await metricValue(service.managementUrl, 'http_server_active_requests')) < 2);

    expect(await service.stop()).toEqual({ code: 1, signal: null });
    expect(service.log.find(({ event }) => event === 'app.cut_off')).toMatchObject({
      level: 'error',
      stuck: expect.arrayContaining([
        { method: 'POST', route: '/v1/pets', request_id: 'locked-out' },
        { method: 'GET', route: '/v1/naps/endless', request_id: 'asleep' },
      ]),
    });
    for (const client of clients) expect(await client.untilClosed()).toBe(true);
    const aborted = service.log.filter((line) => line['event'] === 'http.request' && line['aborted'] === true);
    expect(aborted.map(({ http }) => (http as { status?: number }).status)).toStrictEqual([undefined, undefined]);
    await database.query('UNLOCK TABLES');
    await database.drop();
  });
});
