import { createLRU } from 'lru.min';
import { MOST_STATEMENTS } from './statement-summary.js';

/** SELECTs that travel as one. A server keeps each size prepared for each connection, so there are not to be many. */
export const MOST_PARTS = 16;

/** The column that tells the parts of a union apart: a DOUBLE, since an integer would be made a bigint in every row. */
export const PART = 'union_part';

/**
 * Refuses what cannot be made a part of a union by putting a column before its own, on every engine alike.
 *
 * @throws {TypeError} where `select` does not begin with `SELECT ` and a column.
 */
export function requireColumns(select: string): void {
  if (!/^SELECT (?!DISTINCT\b|ALL\b|\*)/i.test(select)) throw new TypeError(`Not "SELECT " and columns: ${select}`);
}

/** Statements by what they ask: there are as many as SELECTs, times the sizes of a batch. */
const known = createLRU<string, string>({ max: MOST_STATEMENTS });

/** `(SELECT 0e0 AS union_part, …) UNION ALL (SELECT 1e0 AS union_part, …)`, made once for each size. */
export function unionStatement(select: string, parts: number): string {
  const key = `${parts} ${select}`;
  let sql = known.get(key);
  if (sql === undefined) {
    const rest = select.slice('SELECT '.length);
    sql = Array.from({ length: parts }, (_, part) => `(SELECT ${part}e0 AS ${PART}, ${rest})`).join(' UNION ALL ');
    known.set(key, sql);
  }
  return sql;
}
