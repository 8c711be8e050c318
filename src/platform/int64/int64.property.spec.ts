import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseJson } from '../json/index.js';
import { validateBody, validateQuery } from '../validation/index.js';
import { INT64_MAX, INT64_MIN, Int64Parameter, Int64Property } from './int64.js';

class Filed {
  @Int64Property({})
  categoryId: bigint;
}

const read = (literal: string): bigint =>
  validateBody(Filed, parseJson(Buffer.from(`{"categoryId":${literal}}`))).categoryId;

describe('Int64Property', () => {
  it.each([
    ['100', 100n],
    ['1e2', 100n],
    ['1.0', 1n],
    ['-0', 0n],
    ['0', 0n],
    ['-7', -7n],
    ['9007199254740993', 9007199254740993n],
    ['9007199254740993.0', 9007199254740993n],
    ['9.007199254740993e15', 9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
  ])('may be %s', (literal, categoryId) => {
    expect(read(literal)).toBe(categoryId);
  });

  it.each([
    ['1.5'],
    ['"7"'],
    ['"9007199254740993"'],
    ['true'],
    ['null'],
    ['[]'],
    ['[7]'],
    ['{}'],
    ['{"categoryId":1}'],
    ['""'],
    ['9223372036854775808'],
    ['-9223372036854775809'],
    ['1e400'],
    ['1e1000000000'],
    ['1.00000000000000000001'],
    ['1e-1'],
  ])('must not be %s', (literal) => {
    expect(() => read(literal)).toThrow(
      expect.objectContaining({
        code: 'invalid_field',
        message: expect.stringMatching(/^categoryId: must be an integer/),
      }),
    );
  });

  it('keeps any int64', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: INT64_MIN, max: INT64_MAX }), (value) => {
        expect(read(value.toString())).toBe(value);
      }),
    );
  });

  it('keeps to bounds of its own, and applies a default', () => {
    class Bounded {
      @Int64Property({ minimum: 1n, maximum: 9007199254740993n, default: 9007199254740992n })
      id: bigint;
    }
    expect(validateBody(Bounded, {})).toEqual({ id: 9007199254740992n });
    expect(validateBody(Bounded, { id: 9007199254740993n })).toEqual({ id: 9007199254740993n });
    for (const id of [0, -1, 9007199254740994n]) {
      expect(() => validateBody(Bounded, { id })).toThrow('id: must be an integer from 1 to 9007199254740993');
    }
  });
});

describe('Int64Parameter', () => {
  class ByCategory {
    @Int64Parameter({})
    categoryId?: bigint;
  }

  it.each([
    ['', {}],
    ['categoryId=9007199254740993', { categoryId: 9007199254740993n }],
    ['categoryId=-9223372036854775808', { categoryId: INT64_MIN }],
  ])('reads %j', (query, expected) => {
    expect(validateQuery(ByCategory, query)).toEqual(expected);
  });

  it.each([[''], ['1.0'], ['01'], ['-0'], ['1e2'], ['0x10'], ['9223372036854775808'], ['abc']])(
    'refuses %j',
    (text) => {
      expect(() => validateQuery(ByCategory, `categoryId=${text}`)).toThrow(
        expect.objectContaining({ code: 'invalid_parameter' }),
      );
    },
  );
});
