import type { Socket } from 'node:net';
import type { SqlValue } from './database.js';
import { within } from './deadline.js';
import { translateMysqlFault } from './mysql-failure.js';

interface Field {
  readonly name: string;
  readonly columnType?: number;
}

type Callback = (fault: Error | null, result: unknown, fields: readonly Field[]) => void;

/** The part of a mysql2 connection that is used here. */
export interface MysqlConnection {
  query(sql: string, done: Callback): void;
  execute(sql: string, parameters: SqlValue[], done: Callback): void;
  ping(done: (fault: Error | null) => void): void;
  on(event: 'error', listener: () => void): void;
  release(): void;
  destroy(): void;
  readonly stream: Socket;
}

/** Ends a connection at once. mysql2's `destroy` closes its own side only, and waits for a server that may hang. */
export function cut(connection: MysqlConnection): void {
  connection.destroy();
  connection.stream.destroy();
}

/**
 * Runs a prepared statement. Past `timeoutMs` the connection is destroyed: the server may still work on the statement,
 * and whoever got the connection next would wait for it.
 *
 * @returns rows for a SELECT, mysql2's result header for anything else.
 */
export function executeOn(
  connection: MysqlConnection,
  sql: string,
  parameters: readonly SqlValue[],
  timeoutMs: number,
): Promise<unknown> {
  const running = new Promise<unknown>((resolve, reject) => {
    connection.execute(sql, parameters as SqlValue[], (fault, result, fields) => {
      if (fault) reject(fault);
      else resolve(Array.isArray(result) ? exactIntegers(result as Record<string, unknown>[], fields) : result);
    });
  });
  return within(timeoutMs, running, () => cut(connection));
}

/** Runs what not every server prepares: SET, START TRANSACTION, COMMIT, ROLLBACK. */
export function controlOn(connection: MysqlConnection, sql: string, timeoutMs: number): Promise<void> {
  const running = new Promise<void>((resolve, reject) => {
    connection.query(sql, (fault) => (fault ? reject(translateMysqlFault(fault)) : resolve()));
  });
  return within(timeoutMs, running, () => cut(connection));
}

/** Whether the server still answers on this connection. */
export async function isAlive(connection: MysqlConnection, timeoutMs: number): Promise<boolean> {
  const answered = new Promise<boolean>((resolve) => connection.ping((fault) => resolve(fault === null)));
  return within(timeoutMs, answered, () => undefined).catch(() => false);
}

/** MySQL's numbers of TINY, SHORT, LONG, LONGLONG and INT24 columns. */
const INTEGER_TYPES: ReadonlySet<number> = new Set([1, 2, 3, 8, 9]);

/** Every integer column as bigint, as SQLite gives it too. */
function exactIntegers(rows: Record<string, unknown>[], fields: readonly Field[]): unknown[] {
  const integers = fields.filter((field) => INTEGER_TYPES.has(field.columnType ?? -1)).map((field) => field.name);
  for (const row of rows) {
    for (const name of integers) if (row[name] !== null) row[name] = BigInt(row[name] as number | string);
  }
  return rows;
}
