import { createLRU } from 'lru.min';
import { MOST_STATEMENTS } from './statement-summary.js';

/** Statements by what they insert: there are as many as tables, times the sizes of a batch. */
const known = createLRU<string, string>({ max: MOST_STATEMENTS });

/**
 * `INSERT INTO table (a, b) VALUES (?, ?), (?, ?)`, made once for each size.
 *
 * @throws {RangeError} for no rows.
 */
export function insertStatement(table: string, columns: readonly string[], rows: number): string {
  if (rows === 0) throw new RangeError(`There is no row to insert into ${table}`);
  const key = `${table}(${columns.join()})${rows}`;
  let sql = known.get(key);
  if (sql === undefined) {
    const row = `(${columns.map(() => '?').join(', ')})`;
    sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${Array.from({ length: rows }, () => row).join(', ')}`;
    known.set(key, sql);
  }
  return sql;
}
