import { summaryOf } from './statement-summary.js';

/**
 * Refuses what no engine stores as it is: drivers would take `undefined` for NULL, spread an array, or refuse it in a way
 * that looks like a fault of the database.
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

/**
 * A value as both engines store it: an integer as an integer, so that text made of it has no fraction and LIMIT takes it.
 */
export function boundValue(value: unknown): unknown {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  return typeof value === 'boolean' ? BigInt(value) : value;
}

/**
 * Values as mysql2 is to send them. By itself it sends a bigint as text, which Vitess does not take for a LIMIT, and a number
 * as a DOUBLE, which is rounded where SQL computes with it.
 *
 * @param integer `TypedParameter.BIGINT` of mysql2.
 */
export function mysqlValues(values: readonly unknown[], integer: (value: bigint) => unknown): unknown[] {
  // One that fits no BIGINT goes as text, so that the server refuses it by its own number.
  return values.map((value) => {
    const bound = boundValue(value);
    return typeof bound === 'bigint' && BigInt.asIntN(64, bound) === bound ? integer(bound) : bound;
  });
}

/** What an `IN (…)` is asked with. */
export interface InList {
  /** The placeholders, without the brackets. */
  readonly marks: string;
  readonly values: unknown[];
}

/**
 * The placeholders and values of an `IN (…)`. The last value comes again until there are as many as a power of two: of up to
 * 64 ids a server keeps seven prepared statements for each connection, not 64.
 *
 * @param values at least one.
 */
export function inList(values: readonly unknown[]): InList {
  const size = 2 ** Math.ceil(Math.log2(values.length));
  const padded = [...values, ...Array.from({ length: size - values.length }, () => values.at(-1))];
  return { marks: padded.map(() => '?').join(', '), values: padded };
}
