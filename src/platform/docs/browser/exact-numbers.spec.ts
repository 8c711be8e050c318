import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { indentJson, mapMarked, parseMarked, unmarkJson } from './exact-numbers.js';

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

describe('indentJson', () => {
  it('indents as JSON.stringify does', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(indentJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
      }),
    );
  });

  it('keeps every digit of a number, and how it is written', () => {
    const text = '[9007199254740993,-9223372036854775808,1.0,1e2]';
    expect(indentJson(text).replace(/\s/g, '')).toBe(text);
  });

  it.each(['{"a" :\n1 , "b":[ ]}', ' {"a":1,"b":[]} '])('does not care how %j was spaced', (text) => {
    expect(indentJson(text)).toBe('{\n  "a": 1,\n  "b": []\n}');
  });

  it('leaves brackets and escapes in strings alone', () => {
    expect(indentJson('{"a":"[{\\"x\\": 1}, \\\\"}')).toBe('{\n  "a": "[{\\"x\\": 1}, \\\\"\n}');
  });

  it.each(['', '{', '[1,]', '<html>'])('refuses %j', (text) => {
    expect(() => indentJson(text)).toThrow(SyntaxError);
  });
});
