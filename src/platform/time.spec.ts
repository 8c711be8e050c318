import { describe, expect, it } from '@jest/globals';
import { inTime } from './time.js';

describe('inTime', () => {
  it('is what the work comes to', async () => {
    expect(await inTime(60_000, Promise.resolve(true))).toBe(true);
    expect(await inTime(60_000, Promise.resolve(false))).toBe(false);
    await expect(inTime(60_000, Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });

  it('is false for work that takes longer, and whatever becomes of that is no unhandled rejection', async () => {
    const work = Promise.withResolvers<boolean>();
    expect(await inTime(1, work.promise)).toBe(false);
    work.reject(new Error('too late'));
    await new Promise((resolve) => setImmediate(resolve));
  });
});
