import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { IdempotencyStore } from './idempotency.store.js';
import { IdempotencyPurge } from './idempotency-purge.js';

const MINUTE_MS = 60_000;
const NOW = Date.UTC(2026, 0, 15);

/** A store that has as many batches as it is given, and notes when it is asked. */
function storeWith(...batches: (number | Error)[]) {
  const asked: number[] = [];
  const purge = (now: number): Promise<number> => {
    asked.push(now);
    const batch = batches.shift() ?? 0;
    return batch instanceof Error ? Promise.reject(batch) : Promise.resolve(batch);
  };
  return { asked, store: { purge } as unknown as IdempotencyStore };
}

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('the purge of idempotency records', () => {
  it('goes on until nothing is left, and comes again', async () => {
    const { asked, store } = storeWith(500, 500, 3);
    const purge = new IdempotencyPurge(store, { now: () => NOW });
    purge.start();
    expect(asked).toEqual([]);
    // Each round comes after half a minute to one and a half.
    await jest.advanceTimersByTimeAsync(0.49 * MINUTE_MS);
    expect(asked).toEqual([]);
    await jest.advanceTimersByTimeAsync(1.01 * MINUTE_MS);
    expect(asked.slice(0, 4)).toEqual([NOW, NOW, NOW, NOW]);
    await jest.advanceTimersByTimeAsync(1.5 * MINUTE_MS);
    expect(asked.length).toBeGreaterThan(4);
    purge.onApplicationShutdown();
  });

  it('comes again after a failure', async () => {
    const { asked, store } = storeWith(new Error('The database is away'), 1);
    const purge = new IdempotencyPurge(store, { now: () => NOW });
    purge.start();
    await jest.advanceTimersByTimeAsync(3 * MINUTE_MS);
    expect(asked.length).toBeGreaterThan(2);
    purge.onApplicationShutdown();
  });

  it('ends with the application', async () => {
    const { asked, store } = storeWith();
    const purge = new IdempotencyPurge(store, { now: () => NOW });
    purge.start();
    purge.onApplicationShutdown();
    await jest.advanceTimersByTimeAsync(3 * MINUTE_MS);
    expect(asked).toEqual([]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('ends with the application, also where it is at work then', async () => {
    const batch = Promise.withResolvers<number>();
    const ask = jest.fn(() => Promise.resolve(0)).mockReturnValueOnce(batch.promise);
    const purge = new IdempotencyPurge({ purge: ask } as unknown as IdempotencyStore, { now: () => NOW });
    purge.start();
    await jest.advanceTimersByTimeAsync(1.5 * MINUTE_MS);
    purge.onApplicationShutdown();
    batch.resolve(500);
    await jest.advanceTimersByTimeAsync(3 * MINUTE_MS);
    expect(ask).toHaveBeenCalledTimes(1);
    expect(jest.getTimerCount()).toBe(0);
  });
});
