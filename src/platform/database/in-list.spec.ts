import { describe, expect, it } from '@jest/globals';
import { inList } from './sql-values.js';

describe('inList', () => {
  it.each([
    [[1n], '?', [1n]],
    [[1n, 2n], '?, ?', [1n, 2n]],
    [['a', 'b', 'c'], '?, ?, ?, ?', ['a', 'b', 'c', 'c']],
  ])('asks for %p with a power of two of placeholders', (values, marks, padded) => {
    expect(inList(values)).toEqual({ marks, values: padded });
  });

  it('makes seven statements of up to 64 values', () => {
    const made = Array.from({ length: 64 }, (_, index) =>
      inList(Array.from({ length: index + 1 }, (_, id) => BigInt(id))),
    );
    expect(new Set(made.map(({ marks }) => marks)).size).toBe(7);
    for (const { marks, values } of made) expect(values).toHaveLength(marks.split(',').length);
  });
});
