import { summaryOf } from './statement-summary.js';

/**
 * Refuses what no engine stores as it is: drivers would take `undefined` for NULL, spread an array, or refuse it in a way
 * that cannot be told from a fault of the database.
 *
 * @throws {TypeError} which names the statement and the place of the value, never the value.
 */
export function requireSqlValues(sql: string, values: readonly unknown[]): void {
  const wrong = values.findIndex((value) => !isSqlValue(value));
  if (wrong < 0) return;
  const { operation, collection } = summaryOf(sql);
  const kind = Array.isArray(values[wrong]) ? 'an array' : describe(values[wrong]);
  throw new TypeError(
    `Value ${wrong + 1} of a statement (${operation} ${collection}) is ${kind}, which no column stores`,
  );
}

function isSqlValue(value: unknown): boolean {
  if (value === null) return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value === 'object') return value instanceof Uint8Array || value instanceof Date;
  return typeof value === 'string' || typeof value === 'bigint' || typeof value === 'boolean';
}

function describe(value: unknown): string {
  if (typeof value === 'number') return 'not a finite number';
  return value === undefined ? 'undefined' : `of type ${typeof value}`;
}

/** What `mysql2.TypedParameter` makes of a whole number. */
export type Integer = (value: bigint) => unknown;

/**
 * Values as mysql2 is to send them. By itself it sends a bigint as text, which Vitess does not take for a LIMIT.
 *
 * @param integer `TypedParameter.BIGINT` of mysql2.
 */
export function mysqlValues(values: readonly unknown[], integer: Integer): unknown[] {
  // One that fits no BIGINT goes as text, so that the server refuses it by its own number.
  return values.map((value) =>
    typeof value === 'bigint' && BigInt.asIntN(64, value) === value ? integer(value) : value,
  );
}
