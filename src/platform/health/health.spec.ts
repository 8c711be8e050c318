import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Health } from './health.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('health', () => {
  it('asks each check over and over until it is drained', async () => {
    const health = new Health();
    const ask = jest.fn(() => true);
    health.contribute('kettle', ask);
    await health.start();
    expect(health.isReady).toBe(false);
    health.accept();
    await health.checkAll();
    expect(health.isReady).toBe(true);
    await jest.advanceTimersByTimeAsync(10_000);
    const asked = ask.mock.calls.length;
    expect(asked).toBeGreaterThan(1);
    health.drain();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(ask).toHaveBeenCalledTimes(asked);
    expect(health.isReady).toBe(false);
  });

  it('asks no more where it is drained while its first checks run', async () => {
    const health = new Health();
    const answer = Promise.withResolvers<boolean>();
    const ask = jest.fn(() => answer.promise);
    health.contribute('kettle', ask);
    const starting = health.start();
    health.drain();
    answer.resolve(true);
    await starting;
    await jest.advanceTimersByTimeAsync(10_000);
    expect(ask).toHaveBeenCalledTimes(1);
    expect(jest.getTimerCount()).toBe(0);
  });
});
