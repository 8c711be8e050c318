import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { lineTime } from './line-time.js';

describe('the time of a line', () => {
  it('is now, in every millisecond', async () => {
    for (let line = 0; line < 20; line++) {
      const before = Date.now();
      const { time } = JSON.parse(`{${lineTime().slice(1)}}`) as { time: string };
      const after = Date.now();
      expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(Date.parse(time)).toBeGreaterThanOrEqual(before);
      expect(Date.parse(time)).toBeLessThanOrEqual(after);
      await sleep(1);
    }
  });
});
