import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { QueryFailedError } from 'typeorm';
import { Metrics } from '../metrics/index.js';
import type { IdempotencyStore } from './idempotency.store.js';
import { IdempotencyPurge } from './idempotency-purge.js';

const MINUTE_MS = 60_000;

/** A purge of a store with these batches. An `Error` is a batch that fails. */
function purgeOf(...batches: (number | Error)[]) {
  const ask = jest.fn(() => {
    const batch = batches.shift() ?? 0;
    return batch instanceof Error ? Promise.reject(batch) : Promise.resolve(batch);
  });
  const log = { info: jest.fn(), warn: jest.fn() };
  const metrics = new Metrics('1.0.0', 'abc');
  return {
    ask,
    log,
    metrics,
    purge: new IdempotencyPurge({ purge: ask } as unknown as IdempotencyStore, log, metrics),
  };
}

const SINCE = expect.stringMatching(/^20\d\d-.*Z$/);
const failed = (code: string) => new QueryFailedError('DELETE', [], Object.assign(new Error(code), { code }));

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('the purge of idempotency records', () => {
  it('goes on until nothing is left, and comes again', async () => {
    const { ask, log, purge } = purgeOf(500, 500, 3);
    purge.start();
    expect(ask).not.toHaveBeenCalled();
    // Each purge starts 0.5 to 1.5 minutes after the one before.
    await jest.advanceTimersByTimeAsync(0.49 * MINUTE_MS);
    expect(ask).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(1.01 * MINUTE_MS);
    expect(ask.mock.calls.length).toBeGreaterThanOrEqual(4);
    const asked = ask.mock.calls.length;
    await jest.advanceTimersByTimeAsync(1.5 * MINUTE_MS);
    expect(ask.mock.calls.length).toBeGreaterThan(asked);
    expect([log.info.mock.calls, log.warn.mock.calls]).toStrictEqual([[], []]);
    purge.onApplicationShutdown();
  });

  it('comes again after a failure, which is counted each time, and logged where it is another than before', async () => {
    const full = () => failed('ER_DISK_FULL');
    const refused = failed('ER_TABLEACCESS_DENIED_ERROR');
    const { ask, log, metrics, purge } = purgeOf(full(), full(), refused, 1, 0, full());
    purge.start();
    while (ask.mock.calls.length < 7) await jest.advanceTimersByTimeAsync(0.1 * MINUTE_MS);
    expect(log.warn.mock.calls.map(([fields]) => fields)).toStrictEqual([
      { event: 'idempotency.purge_failed', since: SINCE, err: expect.objectContaining({ code: 'ER_DISK_FULL' }) },
      { event: 'idempotency.purge_failed', since: SINCE, err: refused },
      { event: 'idempotency.purge_failed', since: SINCE, err: expect.objectContaining({ code: 'ER_DISK_FULL' }) },
    ]);
    const [first, second] = log.warn.mock.calls.map(([fields]) => (fields as { since: string }).since);
    expect(second).toBe(first);
    expect(log.info.mock.calls.map(([fields]) => fields)).toStrictEqual([
      { event: 'idempotency.purge_recovered', since: first, seconds: expect.any(Number) },
      { event: 'idempotency.purge_recovered', since: SINCE, seconds: expect.any(Number) },
    ]);
    expect((await metrics.idempotencyPurgeFailures.get()).values).toEqual([{ value: 4, labels: {} }]);
    purge.onApplicationShutdown();
  });

  it('ends with the application', async () => {
    const { ask, purge } = purgeOf();
    purge.start();
    purge.onApplicationShutdown();
    purge.start();
    await jest.advanceTimersByTimeAsync(3 * MINUTE_MS);
    expect(ask).not.toHaveBeenCalled();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('ends with the application, also where it is at work then', async () => {
    const batch = Promise.withResolvers<number>();
    const { ask, purge } = purgeOf();
    ask.mockReturnValueOnce(batch.promise);
    purge.start();
    await jest.advanceTimersByTimeAsync(1.5 * MINUTE_MS);
    purge.onApplicationShutdown();
    batch.resolve(500);
    await jest.advanceTimersByTimeAsync(3 * MINUTE_MS);
    expect(ask).toHaveBeenCalledTimes(1);
    expect(jest.getTimerCount()).toBe(0);
  });
});
