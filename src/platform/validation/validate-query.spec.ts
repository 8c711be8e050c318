import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ApiError } from '../errors/index.js';
import { Int64Parameter } from '../int64.js';
import { EnumParameter, IntegerParameter, StringParameter } from './index.js';
import { refuseQuery, validateQuery } from './request-validation.pipe.js';

const statuses = ['available', 'pending', 'sold'] as const;

class Paged {
  @IntegerParameter({ minimum: 1, maximum: 100, default: 20 })
  limit: number;
}

class ListPets extends Paged {
  @EnumParameter({ enum: statuses, enumName: 'Status' })
  status?: (typeof statuses)[number];

  @Int64Parameter({})
  categoryId?: bigint;

  @StringParameter({ maxLength: 10 })
  q?: string;
}

class Offset {
  @IntegerParameter({ minimum: -5, maximum: Number.MAX_SAFE_INTEGER, required: true })
  offset: number;
}

function refusal(query: string, dto: new () => object = ListPets): string {
  try {
    validateQuery(dto, query);
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error('It was accepted');
}

describe('validateQuery', () => {
  it.each([
    ['', { limit: 20 }],
    ['&', { limit: 20 }],
    ['limit=1', { limit: 1 }],
    ['limit=9', { limit: 9 }],
    ['limit=10', { limit: 10 }],
    ['limit=99&status=sold', { limit: 99, status: 'sold' }],
    ['status=sold&&limit=100&', { limit: 100, status: 'sold' }],
    ['%6Cimit=%35', { limit: 5 }],
    ['categoryId=9007199254740993', { limit: 20, categoryId: 9007199254740993n }],
    ['categoryId=-9223372036854775808', { limit: 20, categoryId: -(2n ** 63n) }],
    ['q=a+b%20c%2B', { limit: 20, q: 'a b c+' }],
    ['q=', { limit: 20, q: '' }],
    ['q', { limit: 20, q: '' }],
    ['q=%F0%9F%90%B6', { limit: 20, q: '🐶' }],
  ])('reads %j', (query, expected) => {
    const parameters = validateQuery(ListPets, query);
    expect(parameters).toBeInstanceOf(ListPets);
    expect(parameters).toEqual(expected);
    expect(validateQuery(ListPets, new URLSearchParams(query))).toEqual(expected);
  });

  it.each([
    [''],
    ['0'],
    ['-1'],
    ['101'],
    ['1000000000'],
    ['9'.repeat(10_000)],
    ['+5'],
    ['%2B5'],
    ['05'],
    ['005'],
    ['5.0'],
    ['5.'],
    ['1e1'],
    ['0x5'],
    ['0b1'],
    ['5n'],
    ['1_0'],
    ['%205'],
    ['5%20'],
    ['5%0A'],
    ['5%00'],
    ['５'],
    ['٣'],
    ['NaN'],
    ['Infinity'],
    ['true'],
    ['null'],
    ['[5]'],
    ['5,6'],
    ['%E0%A4%A'],
    ['%'],
  ])('refuses the limit %.20j, never clamps', (value) => {
    expect(refusal(`limit=${value}`)).toBe('invalid_parameter: limit: must be an integer from 1 to 100');
  });

  it.each([
    [''],
    ['Sold'],
    ['SOLD'],
    ['gone'],
    ['sold%20'],
    ['%20sold'],
    ['sold,pending'],
    ['%E0%A4%A'],
    ['%'],
    ['%FF'],
  ])('refuses the status %j (express#2958)', (value) => {
    expect(refusal(`status=${value}`)).toBe('invalid_parameter: status: must be one of available, pending, sold');
  });

  it.each([['1.0'], ['01'], ['1e2'], ['9223372036854775808'], ['abc'], ['']])('refuses the categoryId %j', (value) => {
    expect(refusal(`categoryId=${value}`)).toMatch(/^invalid_parameter: categoryId: must be an integer from -9223/);
  });

  it.each([
    ['limit[]=5', '"limit[]"'],
    ['limit[a]=5', '"limit[a]"'],
    ['limit%5B%5D=5', '"limit[]"'],
    ['Limit=5', '"Limit"'],
    ['%20limit=5', '" limit"'],
    ['?limit=5', '"?limit"'],
    ['page=2', '"page"'],
    ['=5', '""'],
    ['access_token=x', '"access_token"'],
    ['__proto__=1', '"__proto__"'],
    ['__proto__[limit]=1', '"__proto__[limit]"'],
    ['constructor=1', '"constructor"'],
    ['toString', '"toString"'],
    ['%FF=1', '"�"'],
  ])('refuses the unknown parameter of %j', (query, name) => {
    expect(refusal(query)).toBe(`unknown_parameter: ${name}: is not a known parameter`);
  });

  it.each([['limit=5&limit=5'], ['limit=5&limit=6'], ['limit=5&%6Cimit=6'], ['limit=5&limit=x']])(
    'refuses a repeated parameter: %s',
    (query) => {
      expect(refusal(query)).toBe('duplicate_parameter: limit: is given more than once');
    },
  );

  it('has one code for several faults, and names every parameter', () => {
    expect(refusal('status=x&limit=0')).toBe(
      'invalid_parameter: limit: must be an integer from 1 to 100; status: must be one of available, pending, sold',
    );
    expect(refusal('q=1&status=x&q=2')).toBe(
      'duplicate_parameter: q: is given more than once; status: must be one of available, pending, sold',
    );
    expect(refusal('x=1&y=1&x=1&q=1&q=2&limit=0')).toBe(
      'unknown_parameter: q: is given more than once; limit: must be an integer from 1 to 100; ' +
        '"x": is not a known parameter; "y": is not a known parameter',
    );
  });

  it('requires what is declared required', () => {
    expect(refusal('', Offset)).toBe('invalid_parameter: offset: is required');
    expect(validateQuery(Offset, 'offset=-5')).toEqual({ offset: -5 });
    expect(validateQuery(Offset, 'offset=9007199254740991')).toEqual({ offset: Number.MAX_SAFE_INTEGER });
    for (const value of ['-6', '-0', '9007199254740992', '9007199254740993']) {
      expect(refusal(`offset=${value}`, Offset)).toMatch(/^invalid_parameter: offset: must be an integer from -5 to/);
    }
  });

  it('answers any query with an instance or 400', () => {
    const name = fc.oneof(fc.constantFrom('limit', 'status', 'q', '__proto__', 'constructor'), fc.string());
    const parameter = fc.tuple(name, fc.oneof(fc.constantFrom('5', 'sold'), fc.string())).map((pair) => pair.join('='));
    fc.assert(
      fc.property(
        fc.array(parameter).map((all) => all.join('&')),
        (query) => {
          try {
            expect(validateQuery(ListPets, query)).toBeInstanceOf(ListPets);
          } catch (error) {
            expect(error).toMatchObject({ status: 400 });
          }
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('takes exactly the limits of the contract', () => {
    fc.assert(
      fc.property(fc.oneof(fc.nat(200).map(String), fc.string({ maxLength: 4 })), (limit) => {
        const query = `limit=${encodeURIComponent(limit.toWellFormed())}`;
        if (/^([1-9][0-9]?|100)$/.test(limit)) expect(validateQuery(ListPets, query).limit).toBe(Number(limit));
        else expect(refusal(query)).toMatch(/^invalid_parameter/);
      }),
    );
  });
});

describe('refuseQuery', () => {
  it('lets no query pass', () => {
    for (const query of ['', '&', '&&']) {
      expect(() => refuseQuery(query)).not.toThrow();
      expect(() => refuseQuery(new URLSearchParams(query))).not.toThrow();
    }
  });

  it.each([
    ['limit=5', '"limit": is not a known parameter'],
    ['a&b&a', '"a": is not a known parameter; "b": is not a known parameter'],
    ['=', '"": is not a known parameter'],
    ['%', '"%": is not a known parameter'],
    ['__proto__', '"__proto__": is not a known parameter'],
  ])('refuses %j', (query, message) => {
    const fault = expect.objectContaining({ code: 'unknown_parameter', message });
    expect(() => refuseQuery(query)).toThrow(fault);
    expect(() => refuseQuery(new URLSearchParams(query))).toThrow(fault);
  });
});
