import type { EntityMetadata } from 'typeorm';

export type ColumnMetadata = EntityMetadata['columns'][number];

const INTEGERS: ReadonlySet<unknown> = new Set<unknown>([
  Number,
  'int',
  'integer',
  'tinyint',
  'smallint',
  'mediumint',
  'int2',
  'int4',
]);
const DECIMALS: ReadonlySet<unknown> = new Set(['decimal', 'dec', 'numeric', 'fixed']);

export function isDecimal({ type }: Pick<ColumnMetadata, 'type'>): boolean {
  return DECIMALS.has(type);
}

/**
 * Converts a value of a driver to the same value on both engines. TypeORM and transformers convert it afterwards.
 *
 * @throws {RangeError} for a BIGINT that a `number` property cannot hold exactly.
 */
export function readValue(value: unknown, column: ColumnMetadata): unknown {
  if (value === null || value === undefined) return value;
  const { type } = column;
  if (type === 'bigint') return int64For(column, value);
  if (INTEGERS.has(type)) return Number(value);
  if (isDecimal(column)) return typeof value === 'string' ? value : Number(value).toFixed(column.scale ?? 0);
  return value;
}

/** The generated id of an inserted row, in the type of the property. */
export function generatedMap(metadata: EntityMetadata, id: bigint | undefined): Record<string, unknown> | undefined {
  const column = metadata.generatedColumns.find(({ generationStrategy }) => generationStrategy === 'increment');
  if (column === undefined || id === undefined) return undefined;
  const map = {};
  // `createValueMap` would convert a bigint to a string.
  column.setEntityValue(map, metadata.dataSource.driver.prepareHydratedValue(id, column));
  return map;
}

/** The values of an inserted row that RETURNING returned. */
export function returnedMap(metadata: EntityMetadata, row: Record<string, unknown>): Record<string, unknown> {
  const map = {};
  for (const [name, value] of Object.entries(row)) {
    const column = metadata.findColumnWithDatabaseName(name);
    column?.setEntityValue(map, metadata.dataSource.driver.prepareHydratedValue(value, column));
  }
  return map;
}

/**
 * Converts a BIGINT to the declared type of the property: `bigint` or `number`. Otherwise to `string`, like TypeORM.
 */
function int64For({ target, propertyName, transformer }: ColumnMetadata, value: unknown): unknown {
  const declared: unknown =
    typeof target === 'function' && transformer === undefined
      ? Reflect.getMetadata('design:type', target.prototype as object, propertyName)
      : undefined;
  if (declared === BigInt) return BigInt(value as number);
  if (declared !== Number) return String(value);
  if (!Number.isSafeInteger(Number(value))) {
    throw new RangeError(`${propertyName} is a number, which cannot hold this BIGINT exactly; declare it as a bigint`);
  }
  return Number(value);
}
