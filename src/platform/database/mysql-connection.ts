import type { Socket } from 'node:net';
import { within } from './deadline.js';
import { translateMysqlFault } from './mysql-failure.js';
import { isCommitted } from './mysql-session.js';

interface Field {
  readonly name: string;
  readonly columnType?: number;
}

type Callback = (fault: Error | null, result: unknown, fields: readonly Field[]) => void;

/** The part of a mysql2 connection that is used here. */
export interface MysqlConnection {
  query(sql: string, done: Callback): void;
  execute(sql: string, parameters: unknown[], done: Callback): void;
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
  parameters: unknown[],
  timeoutMs: number,
): Promise<unknown> {
  const running = new Promise<unknown>((resolve, reject) => {
    connection.execute(sql, parameters, (fault, result, fields) => {
      if (fault) reject(fault);
      else resolve(Array.isArray(result) ? exactIntegers(result as Record<string, unknown>[], fields) : result);
    });
  });
  return within(timeoutMs, running, () => cut(connection));
}

/** Runs a statement as text: what not every server prepares, as SET, START TRANSACTION, COMMIT and ROLLBACK. */
export function queryOn(connection: MysqlConnection, sql: string, timeoutMs: number): Promise<unknown> {
  const running = new Promise<unknown>((resolve, reject) => {
    connection.query(sql, (fault, result) => (fault ? reject(translateMysqlFault(fault)) : resolve(result)));
  });
  return within(timeoutMs, running, () => cut(connection));
}

/**
 * Makes sure of what was just done outside a transaction, or by a COMMIT: somebody may have changed the session.
 *
 * @param answer what the server answered to it.
 * @throws {Error} fatal, where the server says that it is still in a transaction.
 */
export function requireCommitted(answer: unknown): void {
  if (isCommitted(answer)) return;
  const fault = new Error('The server answered a statement and did not commit it');
  throw Object.assign(fault, { code: 'DATABASE_NOT_COMMITTED', fatal: true });
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
