import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ApiError } from '../errors/index.js';
import { Int64Property } from '../int64.js';
import { parseJson, stringifyJson } from '../json/index.js';
import { EnumProperty, IntegerProperty, StringProperty, TextProperty } from './index.js';
import { validateBody } from './validate-body.js';

const Status = { available: 'available', pending: 'pending', sold: 'sold' } as const;
type Status = (typeof Status)[keyof typeof Status];

class NewPet {
  @TextProperty({ maxLength: 255 })
  name: string;

  @Int64Property({})
  categoryId: bigint;

  @EnumProperty({ enum: Status, enumName: 'Status', required: false })
  status?: Status;
}

const valid = { name: 'Rex', categoryId: 7 };

const fromText = (text: string): NewPet => validateBody(NewPet, parseJson(Buffer.from(text)));

function refusal(body: unknown): string {
  try {
    validateBody(NewPet, body);
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error('It was accepted');
}

describe('validateBody', () => {
  it('gives an instance of what is declared', () => {
    const pet = fromText('{"name":"Rex","categoryId":9007199254740993,"status":"sold"}');
    expect(pet).toBeInstanceOf(NewPet);
    expect(pet).toEqual({ name: 'Rex', categoryId: 9007199254740993n, status: 'sold' });
  });

  it('leaves an optional field that is absent absent', () => {
    expect(Object.keys(validateBody(NewPet, valid))).toEqual(['name', 'categoryId']);
  });

  it.each([
    ['null', null],
    ['a list', [valid]],
    ['an empty list', []],
    ['a string', 'Rex'],
    ['a number', 7],
    ['a big number', 2n ** 60n],
    ['a boolean', true],
  ])('refuses a body that is %s', (_, body) => {
    expect(refusal(body)).toBe('invalid_field: The request body must be a JSON object.');
  });

  it.each([
    [{}, 'missing_field: name: is required; categoryId: is required'],
    [{ name: 'Rex' }, 'missing_field: categoryId: is required'],
    [{ categoryId: 7 }, 'missing_field: name: is required'],
    [{ ...valid, id: 1 }, 'unknown_field: "id": is not a known field'],
    [{ ...valid, createdAt: null }, 'unknown_field: "createdAt": is not a known field'],
    [{ ...valid, constructor: {} }, 'unknown_field: "constructor": is not a known field'],
    [{ ...valid, toString: 1 }, 'unknown_field: "toString": is not a known field'],
    [{ ...valid, Name: 'x' }, 'unknown_field: "Name": is not a known field'],
    [{ ...valid, '': 1 }, 'unknown_field: "": is not a known field'],
    [{ ...valid, status: 'gone' }, 'invalid_field: status: must be one of available, pending, sold'],
    [{ ...valid, name: null }, 'invalid_field: name: must be a string'],
  ])('refuses %j', (body, message) => {
    expect(refusal(body)).toBe(message);
  });

  it('has one code for several faults, and names every field', () => {
    const categoryId = 'must be an integer from -9223372036854775808 to 9223372036854775807';
    const status = 'must be one of available, pending, sold';
    expect(refusal({ status: 'x', id: 1, categoryId: '7' })).toBe(
      `missing_field: name: is required; categoryId: ${categoryId}; status: ${status}; "id": is not a known field`,
    );
    expect(refusal({ status: 'x', id: 1, categoryId: '7', name: 'Rex' })).toBe(
      `unknown_field: categoryId: ${categoryId}; status: ${status}; "id": is not a known field`,
    );
    expect(refusal({ status: null, categoryId: null, name: null })).toBe(
      `invalid_field: name: must be a string; categoryId: ${categoryId}; status: ${status}`,
    );
  });

  it('takes __proto__ for a field like any other (class-validator#438)', () => {
    for (const proto of ['{"name":"x","categoryId":1}', 'null', '1', '[]']) {
      const withAll = parseJson(Buffer.from(`{"name":"Rex","categoryId":7,"__proto__":${proto}}`));
      expect(refusal(withAll)).toBe('unknown_field: "__proto__": is not a known field');
      const alone = parseJson(Buffer.from(`{"__proto__":${proto}}`));
      expect(refusal(alone)).toMatch(/^missing_field: name: is required; categoryId: is required; "__proto__"/);
    }
  });

  it.each(['__proto__', 'constructor'])('refuses %s inside of a value, whatever it holds', (name) => {
    for (const inside of ['1', 'null', '"x"', '{}', '{"prototype":1}', '[{}]']) {
      for (const value of [`{"${name}":${inside}}`, `[{"${name}":${inside}}]`, `{"a":{"${name}":${inside}}}`]) {
        const body = parseJson(Buffer.from(`{"name":${value},"categoryId":1}`));
        expect(refusal(body)).toContain(`"${name}": is not a known field`);
      }
    }
  });

  it('bounds and escapes the names that it repeats', () => {
    expect(refusal({ ...valid, ['x'.repeat(10_000)]: 1 })).toBe(
      `unknown_field: "${'x'.repeat(64)}…": is not a known field`,
    );
    expect(refusal({ ...valid, [`x${'🐶'.repeat(100)}`]: 1 })).toBe(
      `unknown_field: "x${'🐶'.repeat(31)}…": is not a known field`,
    );
    expect(refusal({ ...valid, 'a"\n\u001b[31m\u202e\u2028\ud800': 1 })).toBe(
      'unknown_field: "a\\"\\n\\u001b[31m\\u{202e}\\u{2028}\\ud800": is not a known field',
    );
    const many = Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`x${at}`, at]));
    const message = refusal({ ...valid, ...many });
    expect(message.match(/is not a known field/g)).toHaveLength(10);
    expect(message).toMatch(/; and 2990 more$/);
  });

  it('does not repeat a value', () => {
    for (const secret of ['as_live_secret', { as_live_secret: 1 }, ['as_live_secret']]) {
      expect(refusal({ name: 1, categoryId: secret, status: secret })).not.toContain('as_live_secret');
    }
  });
});

describe('status', () => {
  it.each(['available', 'pending', 'sold'])('may be %s', (status) => {
    expect(validateBody(NewPet, { ...valid, status }).status).toBe(status);
  });

  it.each([
    ['Available'],
    ['SOLD'],
    [''],
    [' sold'],
    ['sold '],
    [null],
    [0],
    [true],
    [['sold']],
    [{}],
    ['constructor'],
  ])('must not be %j', (status) => {
    expect(refusal({ ...valid, status })).toBe('invalid_field: status: must be one of available, pending, sold');
  });
});

describe('any body', () => {
  it('that the rules allow is taken as it is', () => {
    const shown = fc.string({ unit: 'binary', maxLength: 100 }).filter((name) => /\P{White_Space}/u.test(name));
    const name = shown.filter((text) => !/\p{Cc}/u.test(text));
    const categoryId = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    const status = fc.constantFrom('available', 'pending', 'sold');
    fc.assert(
      fc.property(fc.record({ name, categoryId, status }, { requiredKeys: ['name', 'categoryId'] }), (pet) => {
        expect(fromText(stringifyJson(pet))).toEqual(pet);
      }),
    );
  });

  it('that they forbid is refused with 400', () => {
    const key = fc.oneof(fc.constantFrom('name', 'categoryId', 'status', '__proto__', 'constructor'), fc.string());
    const values = [fc.string(), fc.double({ noNaN: true }), fc.boolean(), fc.constant(null)];
    const faulty = fc.anything({ key, values, maxDepth: 3 }).map((body) => ({ ...valid, status: body }));
    fc.assert(
      fc.property(fc.oneof(faulty, fc.anything({ key, values, maxDepth: 3 })), (body) => {
        expect(() => fromText(JSON.stringify(body))).toThrow(ApiError);
      }),
      { numRuns: 300 },
    );
  });
});

class Defaults {
  @IntegerProperty({ minimum: 1, maximum: 10, default: 3 })
  quantity: number;

  @StringProperty({ maxLength: 5, required: false })
  note?: string;
}

describe('defaults and integers', () => {
  it('applies a documented default, and does not need the field', () => {
    expect(validateBody(Defaults, {})).toEqual({ quantity: 3 });
    expect(validateBody(Defaults, { quantity: 4, note: '' })).toEqual({ quantity: 4, note: '' });
  });

  it.each([[0], [11], [1.5], [NaN], ['3'], [null], [true], [3n]])('refuses the quantity %p', (quantity) => {
    expect(() => validateBody(Defaults, { quantity })).toThrow('quantity: must be an integer from 1 to 10');
  });

  it('refuses bounds that a double cannot keep', () => {
    expect(() => IntegerProperty({ minimum: 0, maximum: 2 ** 53 })).toThrow(RangeError);
  });

  it('refuses to check against a class that declares nothing', () => {
    class Nothing {
      name: string;
    }
    expect(() => validateBody(Nothing, {})).toThrow(TypeError);
  });
});
