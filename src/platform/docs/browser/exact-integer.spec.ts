import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mapMarked, parseMarked, unmarkJson } from './exact-integer.js';

describe('marked integers', () => {
  it('come back as the digits that were read', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (id) => {
        const text = `{"examples":[${id}],"name":"${id}"}`;
        expect(unmarkJson(JSON.stringify(parseMarked(text)))).toBe(text);
      }),
    );
  });

  it('are only those that a number would round', () => {
    expect(parseMarked('[9007199254740991, 1.5, 1e300, "9007199254740993", true]')).toEqual([
      9007199254740991,
      1.5,
      1e300,
      '9007199254740993',
      true,
    ]);
    expect(typeof (parseMarked('[9007199254740993]') as unknown[])[0]).toBe('string');
  });

  it('are left out where they bound a schema', () => {
    expect(parseMarked('{"minimum":1,"maximum":9223372036854775807}')).toEqual({ minimum: 1 });
  });

  it('are turned into anything else, however deep', () => {
    const value = parseMarked('{"a":[{"id":9007199254740993,"n":1,"nothing":null}]}');
    expect(mapMarked(value, BigInt)).toEqual({ a: [{ id: 9007199254740993n, n: 1, nothing: null }] });
    expect(mapMarked(value, String)).toEqual({ a: [{ id: '9007199254740993', n: 1, nothing: null }] });
  });
});
