import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { indentJson } from './exact-integer.js';

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
