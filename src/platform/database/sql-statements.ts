import { createLRU } from 'lru.min';
import type { DataSource } from 'typeorm';

/** Statements to remember: a feature that puts values into their texts has more and more of them. */
export const MOST_STATEMENTS = 500;

/** What a statement does to which table, as telemetry names it (db.operation.name, db.collection.name). */
interface StatementSummary {
  readonly operation: string;
  readonly collection: string;
}

const summaries = createLRU<string, StatementSummary>({ max: MOST_STATEMENTS });
/** The first word, behind brackets and comments, but for those that the server runs. */
const OPERATION = /^(?:[\s(]|(?:--\s|#)[^\n]*\n|\/\*(?!M?!)(?:[^*]|\*(?!\/))*\*\/)*(\w+)/;
const TABLE = /\b(?:FROM|INTO|UPDATE|TABLE)\s+(?:IF\s+(?:NOT\s+)?EXISTS\s+)?[`"]?(\w+)/i;

/** Reads it from the statement's text. */
export function summaryOf(sql: string): StatementSummary {
  let summary = summaries.get(sql);
  if (summary === undefined) {
    summary = { operation: (OPERATION.exec(sql)?.[1] ?? '').toUpperCase(), collection: TABLE.exec(sql)?.[1] ?? '' };
    summaries.set(sql, summary);
  }
  return summary;
}

/** Whether it changes nothing, so that nobody need wonder what became of it when its reply is lost. */
export function isRead(sql: string): boolean {
  return summaryOf(sql).operation === 'SELECT';
}

/**
 * Values as both engines store them: an integer as an integer, so that text made of it has no fraction and LIMIT takes it.
 *
 * @param storedTime what a point in time is stored as.
 * @throws {TypeError} for what no engine stores as it is: drivers would take `undefined` for NULL, spread an array, or refuse
 *   it in a way that looks like a fault of the database. Names the statement and the place of the value, never the value.
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

/** Undefined for what no engine stores. */
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

/** SELECTs that travel as one. A server keeps each size prepared for each connection, so there are not to be many. */
export const MOST_TOGETHER = 16;

/** The column that says which part of a union a row is of: a DOUBLE, since mysql2 looks at each integer for its size. */
const PART = 'union_part';

type Rows<T> = (T & { readonly [PART]?: number })[];

/**
 * Runs one SELECT for each of several lists of parameters, up to 16 of them in one statement where the engine is across a
 * network.
 *
 * @param sql begins with `SELECT ` and a column; it may have ORDER BY and LIMIT, which say what rows there are. The rows of
 *   one list are to be sorted by whoever asked: no engine promises their order where several lists travel together.
 * @returns the rows of each list, in the order of the lists. They may have a column more, `union_part`.
 * @throws {TypeError} (rejects) for `SELECT DISTINCT`, `SELECT ALL` and `SELECT *`. @throws {QueryFailedError} (rejects).
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

/** Statements by their SELECT and the number of its parts. */
const unions = createLRU<string, string>({ max: MOST_STATEMENTS });

/** `(SELECT 0e0 AS union_part, …) UNION ALL (SELECT 1e0 AS union_part, …)`, made once for each size. */
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
 * SQL for the database's own time in whole milliseconds since the epoch, whatever the time zone of the session. Replicas
 * whose clocks differ agree on it. SQLite runs inside the process, so there it is the clock of the host.
 */
export function databaseNow({ options }: DataSource): string {
  return options.type === 'mysql'
    ? `TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000`
    : `CAST(ROUND(unixepoch('subsec') * 1000) AS INTEGER)`;
}
