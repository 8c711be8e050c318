import { afterAll, beforeAll, expect, it } from '@jest/globals';
import autocannon from 'autocannon';
import { spreadOf } from '../../bench/statistics.js';
import { storeKey } from '../support/api-keys.js';
import type { TestDatabase } from '../support/database.js';
import { onEachEngine } from '../support/engines.js';
import { metricValue } from '../support/metrics.js';
import { Service } from '../support/service.js';

const MIB = 1024 ** 2;
/** Requests between two looks, and how many looks: fewer than it takes until V8 collects all that is old. */
const REQUESTS = 800;
const LOOKS = 4;

onEachEngine('what a request leaves behind', (engine) => {
  let database: TestDatabase;
  let service: Service;
  let key: string;

  beforeAll(async () => {
    database = await engine.createDatabase();
    // Small, so that a few requests fill what young objects have; a start ends with a collection of all.
    const env = { RATE_LIMIT_PER_MINUTE: '0', NODE_OPTIONS: '--max-semi-space-size=1' };
    service = await Service.start({ database, env });
    key = await storeKey(database);
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  async function load(): Promise<void> {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'Rex', categoryId: 1 });
    const requests = [
      { method: 'POST', path: '/v1/pets', body },
      { method: 'GET', path: '/v1/pets/1' },
      { method: 'GET', path: '/v1/pets?limit=20' },
    ] as const;
    const options = { url: service.url, headers, requests: [...requests], amount: REQUESTS, connections: 20 };
    expect((await autocannon(options))['2xx']).toBe(REQUESTS);
  }

  const oldBytes = (): Promise<number> =>
    metricValue(service.managementUrl, 'nodejs_heap_space_size_used_bytes', 'space="old"');

  it('goes with the next collection of young objects, and does not grow old', async () => {
    await load();
    await load();
    const sizes = [await oldBytes()];
    for (let look = 0; look < LOOKS; look += 1) {
      await load();
      sizes.push(await oldBytes());
    }
    const growth = sizes.slice(1).map((size, look) => (size - (sizes[look] ?? 0)) / MIB);
    // Code that is compiled meanwhile, and sockets, have a share; a collection of all that is old makes one negative.
    expect(spreadOf(growth).median).toBeLessThan(1.1);
  }, 60_000);
});
