import { createLRU } from 'lru.min';
import type { DataSource } from 'typeorm';

/** Limit of remembered statements, because a feature that writes values into its SQL has ever more of them. */
export const MOST_STATEMENTS = 500;

/** The operation and the table of a statement, as telemetry names them (db.operation.name, db.collection.name). */
interface StatementSummary {
  readonly operation: string;
  readonly collection: string;
}

const summaries = createLRU<string, StatementSummary>({ max: MOST_STATEMENTS });
/** The first word after brackets and comments. A comment that the server executes is not skipped. */
const OPERATION = /^(?:[\s(]|(?:--\s|#)[^\n]*\n|\/\*(?!M?!)(?:[^*]|\*(?!\/))*\*\/)*(\w+)/;
const TABLE = /\b(?:FROM|INTO|UPDATE|TABLE)\s+(?:IF\s+(?:NOT\s+)?EXISTS\s+)?[`"]?(\w+)/i;

/** Parses the text of a statement. */
export function summaryOf(sql: string): StatementSummary {
  let summary = summaries.get(sql);
  if (summary === undefined) {
    summary = { operation: (OPERATION.exec(sql)?.[1] ?? '').toUpperCase(), collection: TABLE.exec(sql)?.[1] ?? '' };
    summaries.set(sql, summary);
  }
  return summary;
}

/** Whether the statement changes nothing. Then it does not matter if it was executed when its answer is lost. */
export function isRead(sql: string): boolean {
  return summaryOf(sql).operation === 'SELECT';
}

/**
 * Converts values to what both engines store. An integer stays an integer, so that SQL text made from it has no
 * fraction, and LIMIT accepts it.
 *
 * @param storedTime converts a point in time to its stored form. Default: the `Date` itself.
 * @throws {TypeError} for a value that no engine stores unchanged. Drivers would convert `undefined` to NULL, spread an
 * array, or fail as if the database had a fault. The message has the statement and the position of the value, never the
 * value.
 */
export function boundValues(
  sql: string,
  values: readonly unknown[],
  storedTime: (time: Date) => unknown = (time) => time,
): unknown[] {
  return values.map((value, index) => {
    const bound = boundValue(value);
    if (bound === undefined) throw notStored(sql, value, index);
    return bound instanceof Date ? storedTime(bound) : bound;
  });
}

/** Undefined for a value that no engine stores. */
function boundValue(value: unknown): unknown {
  switch (typeof value) {
    case 'string':
    case 'bigint':
      return value;
    case 'number':
      if (Number.isSafeInteger(value)) return BigInt(value);
      return Number.isFinite(value) ? value : undefined;
    case 'boolean':
      return BigInt(value);
    case 'object':
      return value === null || value instanceof Uint8Array || value instanceof Date ? value : undefined;
    default:
      return undefined;
  }
}

function notStored(sql: string, value: unknown, index: number): TypeError {
  const { operation, collection } = summaryOf(sql);
  const kind = Array.isArray(value) ? 'an array' : describe(value);
  return new TypeError(
    `Value ${index + 1} of a statement (${operation} ${collection}) is ${kind}, which no column stores`,
  );
}

function describe(value: unknown): string {
  if (typeof value === 'number') return 'not a finite number';
  return value === undefined ? 'undefined' : `of type ${typeof value}`;
}

/** The placeholders and values of an `IN (…)`. */
export interface InList {
  /** The placeholders, without brackets. */
  readonly marks: string;
  readonly values: unknown[];
}

/**
 * Creates the placeholders and values of an `IN (…)`. It repeats the last value up to the next power of two. So for up
 * to 64 ids a server keeps 7 prepared statements for each connection, not 64.
 *
 * @param values at least one.
 */
export function inList(values: readonly unknown[]): InList {
  const size = 2 ** Math.ceil(Math.log2(values.length));
  const padded = [...values, ...Array.from({ length: size - values.length }, () => values.at(-1))];
  return { marks: padded.map(() => '?').join(', '), values: padded };
}

/**
 * Limit of SELECTs in one statement. A server keeps a prepared statement of each size for each connection, so the
 * number of sizes must stay small.
 */
export const MOST_TOGETHER = 16;

/**
 * The column with the part of the union to which a row belongs. It is a DOUBLE, because mysql2 checks the size of each
 * integer.
 */
const PART = 'union_part';

type Rows<T> = (T & { readonly [PART]?: number })[];

/**
 * Runs one SELECT for each of several lists of parameters. On MySQL up to 16 of them are one statement, to save round
 * trips.
 *
 * @param sql begins with `SELECT ` and a column. It may have ORDER BY and LIMIT to choose the rows. The caller sorts
 * the rows of each list, because engines do not promise their order in a union.
 * @returns the rows of each list, in the order of the lists. They may have an additional column `union_part`.
 * @throws {TypeError} (rejects) for `SELECT DISTINCT`, `SELECT ALL` and `SELECT *`.
 * @throws {QueryFailedError} (rejects) if the statement fails.
 */
export async function queryEach<T = Record<string, unknown>>(
  dataSource: DataSource,
  sql: string,
  lists: readonly (readonly unknown[])[],
): Promise<T[][]> {
  if (!/^SELECT (?!DISTINCT\b|ALL\b|\*)/i.test(sql)) throw new TypeError(`Not "SELECT " and columns: ${sql}`);
  if (lists.length === 1 || dataSource.options.type !== 'mysql')
    return Promise.all(lists.map((values) => dataSource.query<T[]>(sql, [...values])));
  const results: T[][] = lists.map(() => []);
  for (let from = 0; from < lists.length; from += MOST_TOGETHER) {
    const part = lists.slice(from, from + MOST_TOGETHER);
    const rows = await dataSource.query<Rows<T>>(unionStatement(sql, part.length), part.flat());
    for (const row of rows) {
      const result = results[from + (row[PART] ?? NaN)];
      if (result === undefined) throw new Error(`There is no list ${row[PART]} of ${part.length}`);
      result.push(row);
    }
  }
  return results;
}

/** The union statements, by their SELECT and the number of parts. */
const unions = createLRU<string, string>({ max: MOST_STATEMENTS });

/** `(SELECT 0e0 AS union_part, …) UNION ALL (SELECT 1e0 AS union_part, …)`, cached for each number of parts. */
function unionStatement(select: string, parts: number): string {
  const key = `${parts} ${select}`;
  let sql = unions.get(key);
  if (sql === undefined) {
    const rest = select.slice('SELECT '.length);
    sql = Array.from({ length: parts }, (_, part) => `(SELECT ${part}e0 AS ${PART}, ${rest})`).join(' UNION ALL ');
    unions.set(key, sql);
  }
  return sql;
}

/**
 * SQL for the current time of the database in whole milliseconds since the Unix epoch, whatever the time zone of the
 * session. Replicas whose clocks differ get the same time. SQLite runs inside the process, so it uses the clock of the
 * host.
 */
export function databaseNow({ options }: DataSource): string {
  return options.type === 'mysql'
    ? `TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000`
    : `CAST(ROUND(unixepoch('subsec') * 1000) AS INTEGER)`;
}
