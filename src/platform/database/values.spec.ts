import 'reflect-metadata';
import { expect, it } from '@jest/globals';
import { generatedMap, isDecimal, readValue, returnedMap, type ColumnMetadata } from './values.js';

class Thing {
  exact: bigint;
  plain: number;
  text: string;
}
Reflect.defineMetadata('design:type', BigInt, Thing.prototype, 'exact');
Reflect.defineMetadata('design:type', Number, Thing.prototype, 'plain');
Reflect.defineMetadata('design:type', String, Thing.prototype, 'text');

const column = (type: unknown, fields: object = {}) =>
  ({ type, target: Thing, propertyName: 'text', ...fields }) as unknown as ColumnMetadata;

it.each([Number, 'int', 'integer', 'tinyint', 'smallint', 'mediumint', 'int2', 'int4'])(
  'an integer (%p) is a number',
  (type) => {
    expect([7n, '7', 7].map((value) => readValue(value, column(type)))).toStrictEqual([7, 7, 7]);
  },
);

it.each(['decimal', 'dec', 'numeric', 'fixed'])('a %s is text with as many digits as its scale says', (type) => {
  expect(isDecimal(column(type))).toBe(true);
  expect(readValue('1.50', column(type, { scale: 2 }))).toBe('1.50');
  expect([1.5, 2n].map((value) => readValue(value, column(type, { scale: 2 })))).toStrictEqual(['1.50', '2.00']);
  expect(readValue(1.4, column(type))).toBe('1');
});

it('a BIGINT is what its property is declared as, exactly or not at all', () => {
  const most = 9_223_372_036_854_775_807n;
  const read = (value: unknown, propertyName: string, fields: object = {}): unknown =>
    readValue(value, column('bigint', { propertyName, ...fields }));
  expect([7, '7', most].map((value) => read(value, 'exact'))).toStrictEqual([7n, 7n, most]);
  expect([7, '7', 7n].map((value) => read(value, 'plain'))).toStrictEqual([7, 7, 7]);
  expect([7, most].map((value) => read(value, 'text'))).toStrictEqual(['7', String(most)]);
  expect(() => read(most, 'plain')).toThrow(
    new RangeError('plain is a number, which cannot hold this BIGINT exactly; declare it as a bigint'),
  );
  // TypeORM's own conversion applies with a transformer, and for an entity without a class.
  expect(read(7, 'exact', { transformer: {} })).toBe('7');
  expect(read(7, 'exact', { target: 'thing' })).toBe('7');
});

it('anything else is as it is, and so is nothing', () => {
  expect(['a', 1.5, true].map((value) => readValue(value, column('varchar')))).toStrictEqual(['a', 1.5, true]);
  for (const type of ['bigint', 'int', 'decimal'])
    expect([null, undefined].map((value) => readValue(value, column(type)))).toStrictEqual([null, undefined]);
});

it('what the database gave a row is set under the names of its properties', () => {
  const set = (map: Record<string, unknown>, value: unknown): unknown => (map['key'] = value);
  const id = { generationStrategy: 'increment', setEntityValue: set };
  const driver = { prepareHydratedValue: (value: unknown) => `read ${String(value)}` };
  const metadata = {
    generatedColumns: [{ generationStrategy: 'uuid' }, id],
    findColumnWithDatabaseName: (name: string) => (name === 'id' ? id : undefined),
    dataSource: { driver },
  };
  expect(generatedMap(metadata as never, 7n)).toStrictEqual({ key: 'read 7' });
  expect(generatedMap(metadata as never, undefined)).toBeUndefined();
  expect(generatedMap({ ...metadata, generatedColumns: [] } as never, 7n)).toBeUndefined();
  expect(returnedMap(metadata as never, { id: 5, unknown: 6 })).toStrictEqual({ key: 'read 5' });
});
