import { describe, expect, it } from '@jest/globals';
import { validate, version } from 'uuid';
import { newRequestId } from './exchange.js';

describe('newRequestId', () => {
  it('gives UUIDs of version 7 that begin with the time and never repeat', () => {
    const before = Date.now();
    // More ids than Node has random bytes cached for.
    const ids = Array.from({ length: 3000 }, newRequestId);
    const times = ids.map((id) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
    expect(ids.filter((id) => !validate(id) || version(id) !== 7)).toEqual([]);
    expect(new Set(ids).size).toBe(3000);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(before);
    expect(Math.max(...times)).toBeLessThanOrEqual(Date.now());
    expect(new Set(ids.map((id) => id[19])).size).toBe(4);
  });
});
