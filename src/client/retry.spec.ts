import { describe, expect, it } from '@jest/globals';
import { pause, waitBefore } from './retry.js';

const answer = (status: number, headers = {}): Response => new Response(null, { status, headers });

describe('the wait before a request is sent again', () => {
  it('grows with each try, and is half chance', () => {
    for (const [tries, most] of [
      [1, 200],
      [2, 400],
      [5, 3200],
    ] as const) {
      const wait = waitBefore(undefined, tries);
      expect(wait).toBeGreaterThanOrEqual(most / 2);
      expect(wait).toBeLessThan(most);
    }
  });

  it.each([408, 409, 429, 503])('is at least what a %i asks for', (status) => {
    const wait = waitBefore(answer(status, { 'Retry-After': '7' }), 1);
    expect(wait).toBeGreaterThanOrEqual(7000);
    expect(wait).toBeLessThan(7200);
  });

  it('is there for a 500 once', () => {
    expect(waitBefore(answer(500), 1)).toBeDefined();
    expect(waitBefore(answer(500), 2)).toBeUndefined();
  });

  it.each([400, 401, 403, 404, 409, 422])('is not there for a %i, which would come again', (status) => {
    expect(waitBefore(answer(status), 1)).toBeUndefined();
  });

  it('passes over a Retry-After that is a date or nothing', () => {
    expect(waitBefore(answer(503, { 'Retry-After': 'Fri, 31 Dec 1999 23:59:59 GMT' }), 1)).toBeLessThan(200);
  });
});

describe('a pause', () => {
  it('ends with the reason of its signal', async () => {
    const stop = new AbortController();
    const paused = pause(60_000, stop.signal);
    stop.abort(new Error('enough'));
    await expect(paused).rejects.toThrow('enough');
    await expect(pause(60_000, stop.signal)).rejects.toThrow('enough');
  });
});
