import { afterEach, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Registry } from 'prom-client';
import { turnOptimizationsOff } from '../optimizations.js';
import { Durations } from './durations.js';

afterEach(() => turnOptimizationsOff([]));

const observations = fc.array(
  fc.tuple(
    fc.oneof(fc.constantFrom(0, 0.005, 0.01, 10), fc.double({ min: 0, max: 20, noNaN: true })),
    fc.constantFrom('GET', 'POST'),
    fc.constantFrom(undefined, '/v1/pets'),
    fc.constantFrom(undefined, 200, 500),
  ),
  { maxLength: 30 },
);

/** What a scrape reads after these observations. */
async function scraped(observed: Iterable<readonly [number, ...(string | number | undefined)[]]>): Promise<string[]> {
  const registry = new Registry();
  const labelNames = ['method', 'route', 'status'];
  const durations = new Durations({ name: 'seconds', help: 'Some.', labelNames, buckets: [0.005, 0.01, 10], registry });
  for (const [seconds, ...labels] of observed) durations.observe(seconds, ...labels);
  return (await registry.metrics()).split('\n').sort();
}

it('counts as the histograms of prom-client', async () => {
  await fc.assert(
    fc.asyncProperty(observations, async (observed) => {
      turnOptimizationsOff([]);
      const own = await scraped(observed);
      turnOptimizationsOff(['histograms']);
      expect(own).toStrictEqual(await scraped(observed));
    }),
  );
});
