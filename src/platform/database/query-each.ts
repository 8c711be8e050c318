import { createLRU } from 'lru.min';
import type { DataSource } from 'typeorm';
import { MOST_STATEMENTS } from './statement-summary.js';

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
const known = createLRU<string, string>({ max: MOST_STATEMENTS });

/** `(SELECT 0e0 AS union_part, …) UNION ALL (SELECT 1e0 AS union_part, …)`, made once for each size. */
function unionStatement(select: string, parts: number): string {
  const key = `${parts} ${select}`;
  let sql = known.get(key);
  if (sql === undefined) {
    const rest = select.slice('SELECT '.length);
    sql = Array.from({ length: parts }, (_, part) => `(SELECT ${part}e0 AS ${PART}, ${rest})`).join(' UNION ALL ');
    known.set(key, sql);
  }
  return sql;
}
