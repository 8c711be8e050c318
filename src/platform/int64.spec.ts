import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  INT64_MAX,
  INT64_MIN,
  Int64Column,
  Int64Parameter,
  Int64Property,
  int64Transformer,
  parseId,
  parseInt64,
} from './int64.js';
import { parseJson } from './json/index.js';
import { validateBody, validateQuery } from './validation/index.js';
import { createRequire } from 'node:module';
import { DataSource, Entity, type EntityMetadata, PrimaryColumn } from 'typeorm';

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

const columnsOf = async (type: 'better-sqlite3' | 'mysql', entity: new () => object): Promise<EntityMetadata> => {
  const database = type === 'mysql' ? 'test' : ':memory:';
  const driver: unknown = createRequire(import.meta.url)(type === 'mysql' ? 'mysql2' : 'better-sqlite3-v13');
  const source = new DataSource({ type, driver, database, entities: [entity] });
  // Builds the metadata of the decorators without a connection.
  await (source as unknown as { buildMetadatas(): Promise<void> }).buildMetadatas();
  return source.getMetadata(entity);
};

@Entity('thing')
class Thing {
  @PrimaryColumn({ type: 'varchar' })
  id: string;

  @Int64Column({ name: 'category_id' })
  categoryId: bigint;

  @Int64Column({ name: 'expires_at', nullable: true })
  expiresAt: bigint | null;
}

describe('Int64Column', () => {
  it.each(['better-sqlite3', 'mysql'] as const)('is a signed BIGINT on %s', async (type) => {
    const { columns } = await columnsOf(type, Thing);
    expect(columns.find(({ databaseName }) => databaseName === 'category_id')).toMatchObject({
      type: 'bigint',
      isNullable: false,
      unsigned: false,
    });
    expect(columns.find(({ databaseName }) => databaseName === 'expires_at')).toMatchObject({
      type: 'bigint',
      isNullable: true,
    });
  });

  it.each([
    ['9007199254740993', 9007199254740993n],
    ['-9223372036854775808', -(2n ** 63n)],
    [9007199254740993n, 9007199254740993n],
    [7, 7n],
    [null, null],
    [undefined, undefined],
  ])('reads %p from a driver', (value, expected) => {
    expect(int64Transformer.from(value)).toBe(expected);
  });

  it.each([[9007199254740992], [1.5], ['9223372036854775808'], ['1e3'], [''], [true], [new Date(0)]])(
    'refuses %p, which may have been rounded',
    (value) => {
      expect(() => int64Transformer.from(value)).toThrow(RangeError);
    },
  );

  it('hands a bigint to the driver as it is', () => {
    expect(int64Transformer.to(9007199254740993n)).toBe(9007199254740993n);
    expect(int64Transformer.to(null)).toBeNull();
  });
});
