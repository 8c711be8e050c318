import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { INT64_MAX, INT64_MIN, parseId, parseInt64 } from './int64.js';

const notCanonical = [
  [''],
  [' '],
  ['-'],
  ['+1'],
  ['-0'],
  ['00'],
  ['01'],
  ['-01'],
  ['1.0'],
  ['1e3'],
  ['0x10'],
  ['1n'],
  ['1_000'],
  [' 1'],
  ['1 '],
  ['1\n'],
  ['1abc'],
  ['abc'],
  ['٣'],
  ['１'],
  ['1\u0000'],
  ['9'.repeat(1_000_000)],
];

describe('parseInt64', () => {
  it.each([
    ['0', 0n],
    ['-1', -1n],
    ['9007199254740993', 9007199254740993n],
    ['9223372036854775807', INT64_MAX],
    ['-9223372036854775808', INT64_MIN],
  ])('reads %s', (text, value) => {
    expect(parseInt64(text)).toBe(value);
  });

  it.each([...notCanonical, ['9223372036854775808'], ['-9223372036854775809'], ['99999999999999999999']])(
    'refuses %.30j',
    (text) => {
      expect(parseInt64(text)).toBeUndefined();
    },
  );

  it('reads back exactly the text that an int64 prints, and no other', () => {
    fc.assert(fc.property(fc.bigInt({ min: INT64_MIN, max: INT64_MAX }), (value) => parseInt64(`${value}`) === value));
    fc.assert(
      fc.property(fc.string(), (text) => {
        const value = parseInt64(text);
        expect(value === undefined || value.toString() === text).toBe(true);
      }),
    );
  });
});

describe('parseId', () => {
  it.each([
    ['1', 1n],
    ['9223372036854775807', INT64_MAX],
  ])('reads %s', (text, id) => {
    expect(parseId(text)).toBe(id);
  });

  it.each([...notCanonical, ['0'], ['-1'], ['9223372036854775808']])('refuses %.30j', (text) => {
    expect(parseId(text)).toBeUndefined();
  });
});
