import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { INT64_MAX, INT64_MIN } from '../int64.js';
import { parseJson } from './parse-json.js';
import { stringifyJson } from './stringify-json.js';

describe('stringifyJson', () => {
  it('writes a bigint as its digits, at any depth', () => {
    expect(stringifyJson([{ id: 9007199254740993n, categoryId: INT64_MIN }, INT64_MAX, 0n])).toBe(
      '[{"id":9007199254740993,"categoryId":-9223372036854775808},9223372036854775807,0]',
    );
  });

  it('writes everything else as JSON.stringify does', () => {
    const anything = fc.anything({ withDate: true, withNullPrototype: true, withSparseArray: true });
    fc.assert(
      fc.property(anything, (value) => {
        const expected = JSON.stringify(value) as string | undefined;
        if (expected === undefined) expect(() => stringifyJson(value)).toThrow(TypeError);
        else expect(stringifyJson(value)).toBe(expected);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    [{ a: undefined, b: () => 1, c: Symbol('c'), d: 1 }, '{"d":1}'],
    [[undefined, NaN, Infinity, -0], '[null,null,null,0]'],
    [{ at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    [{ toJSON: () => ({ id: 2n ** 60n }) }, '{"id":1152921504606846976}'],
    [{ nothing: { toJSON: () => undefined } }, '{}'],
    [{ __proto__: null, id: 1n }, '{"id":1}'],
    [{}, '{}'],
    [[], '[]'],
    [null, 'null'],
    ['', '""'],
    ['a"b\\c\n\u2028\u0000é🐶', '"a\\"b\\\\c\\n\u2028\\u0000é🐶"'],
    [{ 'a"': 1 }, '{"a\\"":1}'],
  ])('writes %p as %s', (value, text) => {
    expect(stringifyJson(value)).toBe(text);
    expect(stringifyJson(value, 2).replace(/\n| +/g, '')).toBe(text.replace(/ +/g, ''));
  });

  it('stays well-formed on a lone surrogate', () => {
    expect(stringifyJson('\ud800')).toBe('"\\ud800"');
  });

  it('indents for people, bigints too', () => {
    expect(stringifyJson({ maximum: INT64_MAX }, 2)).toBe('{\n  "maximum": 9223372036854775807\n}');
  });

  it.each([undefined, () => 1, Symbol('s')])('refuses what has no JSON text', (value) => {
    expect(() => stringifyJson(value)).toThrow(TypeError);
    expect(() => stringifyJson(value, 2)).toThrow(TypeError);
  });

  it('goes there and back with any int64', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: INT64_MIN, max: INT64_MAX }), (id) => {
        const [back] = parseJson(Buffer.from(stringifyJson([id]))) as [number | bigint];
        expect(BigInt(back)).toBe(id);
      }),
    );
  });
});
