import { describe, expect, it } from '@jest/globals';
import { inList, mysqlValues, requireSqlValues } from './sql-values.js';

const INSERT = 'INSERT INTO toy (name, weight) VALUES (?, ?)';

it.each([
  [undefined, 'undefined'],
  [['a'], 'an array'],
  [{ a: 1 }, 'of type object'],
  [Symbol('a'), 'of type symbol'],
  [() => 1, 'of type function'],
  [NaN, 'not a finite number'],
  [Infinity, 'not a finite number'],
])('refuses %p, and says where it is but not what', (value, kind) => {
  const refused = `Value 2 of a statement (INSERT toy) is ${kind}, which no column stores`;
  expect(() => requireSqlValues(INSERT, ['canary', value])).toThrow(new TypeError(refused));
});

it('takes what a column stores', () => {
  requireSqlValues(INSERT, ['a', 1n, 1.5, null, Buffer.from('a'), new Uint8Array(1), new Date(0), true]);
});

it('sends whole numbers as such, and as text what fits no BIGINT', () => {
  const integer = (value: bigint) => ({ integer: value });
  const most = 9_223_372_036_854_775_807n;
  expect(mysqlValues([1, most, -most - 1n, 'a', null, 1.5, true], integer)).toStrictEqual([
    { integer: 1n },
    { integer: most },
    { integer: -most - 1n },
    'a',
    null,
    1.5,
    { integer: 1n },
  ]);
  expect(mysqlValues([most + 1n, -most - 2n], integer)).toStrictEqual([most + 1n, -most - 2n]);
});

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
