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
 * What an entity gets of a column, the same on both engines, before TypeORM and transformers look at it.
 *
 * @throws {RangeError} for a BIGINT that the property, a `number`, cannot hold exactly.
 */
export function readValue(value: unknown, column: ColumnMetadata): unknown {
  if (value === null || value === undefined) return value;
  const { type } = column;
  if (type === 'bigint') return int64For(column, value);
  if (INTEGERS.has(type)) return Number(value);
  if (isDecimal(column)) return typeof value === 'string' ? value : Number(value).toFixed(column.scale ?? 0);
  return value;
}

/** The id that the database gave a row of an INSERT, in the property's own type. */
export function generatedMap(metadata: EntityMetadata, id: bigint | undefined): Record<string, unknown> | undefined {
  const column = metadata.generatedColumns.find(({ generationStrategy }) => generationStrategy === 'increment');
  if (column === undefined || id === undefined) return undefined;
  const map = {};
  // `createValueMap` would make a bigint a string.
  column.setEntityValue(map, metadata.dataSource.driver.prepareHydratedValue(id, column));
  return map;
}

/** What the database said of a row that it inserted, by RETURNING. */
export function returnedMap(metadata: EntityMetadata, row: Record<string, unknown>): Record<string, unknown> {
  const map = {};
  for (const [name, value] of Object.entries(row)) {
    const column = metadata.findColumnWithDatabaseName(name);
    column?.setEntityValue(map, metadata.dataSource.driver.prepareHydratedValue(value, column));
  }
  return map;
}

/** A BIGINT as its property is declared: `bigint`, `number`, or `string` as TypeORM has it unless the class says otherwise. */
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
