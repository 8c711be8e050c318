import { expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { onEachEngine } from '../support/engines.js';
import { metricValue } from '../support/metrics.js';
import type { RawResponse } from '../support/raw-http.js';
import { serveOn } from '../support/served.js';

const ROUNDS = 20;

onEachEngine('requests that come one behind another', (engine) => {
  const served = serveOn(engine);

  const post = (name: string): string =>
    served
      .bytes('POST /v1/pets', {
        headers: ['Content-Type: application/json'],
        body: JSON.stringify({ name, categoryId: 1 }),
      })
      .toString();
  const idIn = ({ headers }: RawResponse): number => Number(headers.get('location')?.split('/').at(-1));
  const get = (path: string): string => served.bytes(`GET ${path}`).toString();

  it('are answered as if each had waited for the one before it, where one changes something', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const connection = await served.connect();
      connection.send(post('First') + post('Second'));
      const [first, second] = [await connection.receive(), await connection.receive()];
      expect([first.status, second.status]).toEqual([201, 201]);
      const [one, two] = [first, second].map(idIn) as [number, number];
      expect(two).toBeGreaterThan(one);
      // A read before the pet is created must not find it. The reads after it must.
      const next = `/v1/pets/${String(two + 1)}`;
      connection.send(get(next) + post('Third') + get(next) + get(next));
      const statuses: number[] = [];
      for (let answer = 0; answer < 4; answer += 1) statuses.push((await connection.receive()).status);
      expect(statuses).toEqual([404, 201, 200, 200]);
      connection.close();
    }
  });

  it('leave nothing in flight once their client is gone', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const connection = await served.connect();
      connection.send(post('Gone') + post('Gone behind') + get('/v1/pets'));
      connection.reset();
    }
    // If a request that waits for its turn stays in the gauge, the test ends by its time limit.
    while ((await metricValue(served.service.managementUrl, 'http_server_active_requests')) > 0) await sleep(10);
  });
});
