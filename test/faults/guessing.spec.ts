import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import type { TestDatabase } from '../support/database.js';
import { onEachEngine } from '../support/engines.js';
import { HttpClient } from '../support/http.js';
import { metricValue } from '../support/metrics.js';
import { residentBytes } from '../support/process-size.js';
import { Service } from '../support/service.js';
import { wrongKey } from '../support/wrong-keys.js';

/** `GUESSES=50000 npm test -- test/faults/guessing.spec.ts` sends 50,000. */
const GUESSES = Number(process.env['GUESSES'] ?? 5000);
const LIMIT_MS = 60_000 + 10 * GUESSES;
const AT_ONCE = 16;
/** On a busy machine nobody may be refused. */
const PATIENCE = {
  DATABASE_ACQUIRE_TIMEOUT_MS: '5000',
  DATABASE_QUERY_TIMEOUT_MS: '10000',
  REQUEST_DEADLINE_MS: '20000',
};
/** Includes the heap of 96 MiB. */
const MOST_BYTES = 400 * 1024 ** 2;

onEachEngine('key guessing', (engine) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await engine.createDatabase();
  });

  afterAll(async () => {
    await database.drop();
  });

  it(
    'is refused and limited, harms no client from the same address, and fills no log',
    async () => {
      const service = await Service.start({
        database,
        env: { NODE_OPTIONS: '--max-old-space-size=96', SHED_LOOP_DELAY_MS: '0', ...PATIENCE },
      });
      const key = await storeKey(database);
      const refused = new Map<string, number>();
      const served = new Map<number, number>();
      let left = GUESSES;
      const client = new HttpClient(service.url, key);

      async function guess(): Promise<void> {
        while (left > 0) {
          const answer = await new HttpClient(service.url, wrongKey(key, left--)).get('/v1/pets');
          const { code } = answer.json() as { code: string };
          if (!refused.has(code)) expect(answer).toBeErrorShape(code === 'rate_limited' ? 429 : 401, code);
          refused.set(code, (refused.get(code) ?? 0) + 1);
        }
      }
      async function work(): Promise<void> {
        while (left > 0) {
          const { status } = await client.get('/v1/pets?limit=1');
          served.set(status, (served.get(status) ?? 0) + 1);
        }
      }
      await Promise.all([work(), ...Array.from({ length: AT_ONCE }, guess)]);

      expect([...served.keys()]).toEqual([200]);
      // At least a fifth of the share of one guesser. A client that had to wait for all guessers would get much less.
      expect(served.get(200)).toBeGreaterThan(GUESSES / AT_ONCE / 5);
      expect(new Set(refused.keys())).toEqual(new Set(['invalid_api_key', 'rate_limited']));
      // Twenty per minute. The guessing may take several minutes.
      expect(refused.get('invalid_api_key')! % 20).toBe(0);
      expect(await metricValue(service.managementUrl, 'animal_store_auth_failures_total')).toBe(GUESSES);
      expect(residentBytes(service.pid!)).toBeLessThan(MOST_BYTES);

      await service.stop();
      const lines = service.log.filter((line) => line['event'] === 'auth.failed');
      const windows = lines.filter((line) => line['count'] !== undefined);
      expect(lines.length - windows.length).toBeLessThanOrEqual(50 * (windows.length + 1));
      expect(windows.reduce((sum, line) => sum + Number(line['count']), lines.length - windows.length)).toBe(GUESSES);
    },
    LIMIT_MS,
  );
});
