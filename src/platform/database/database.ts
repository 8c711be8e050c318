/** A value that a statement can be given: exactly what both engines store without a conversion. */
export type SqlValue = string | bigint | number | null | Uint8Array;

/** One row as the engine gives it: BIGINT columns are `bigint` on both engines. */
export type Row = Readonly<Record<string, unknown>>;

export interface Written {
  readonly affectedRows: number;
  /** The id that AUTO_INCREMENT gave; 0n where there was none. */
  readonly insertId: bigint;
}

export interface StatementOptions {
  /** Milliseconds this statement may take, above the configured query timeout where it must wait for a lock. */
  readonly timeoutMs?: number;
}

/**
 * The database as features use it. Every statement has a deadline over getting a connection and running; past it the
 * connection is destroyed and the caller gets `service_unavailable`. Inside `transaction` every statement of the same
 * asynchronous flow belongs to that transaction, whoever issues it.
 *
 * A failure of the engine arrives as `ApiError` `service_unavailable` where trying again may help, else as
 * `DatabaseError` (which leaves the service as a plain 500).
 */
export abstract class Database {
  abstract readonly dialect: 'mysql' | 'sqlite';

  /** Runs a prepared SELECT. Placeholders are `?`. */
  abstract query<T extends Row = Row>(
    sql: string,
    parameters?: readonly SqlValue[],
    options?: StatementOptions,
  ): Promise<T[]>;

  /**
   * Runs one SELECT for each of several lists of parameters, up to 16 of them in one statement where the engine is across a
   * network.
   *
   * @param sql begins with `SELECT ` and a column; it may have ORDER BY and LIMIT, which say what rows there are. The rows
   *   of one list are to be sorted by whoever asked: no engine promises their order where several lists travel together.
   * @returns the rows of each list, in the order of the lists. They may have a column more, `union_part`.
   * @throws {TypeError} (rejects) for `SELECT DISTINCT`, `SELECT ALL` and `SELECT *`.
   */
  abstract queryEach(sql: string, parameters: readonly (readonly SqlValue[])[]): Promise<Row[][]>;

  /** Runs a prepared INSERT, UPDATE or DELETE. Outside a transaction it is durable when the promise resolves. */
  abstract execute(sql: string, parameters?: readonly SqlValue[], options?: StatementOptions): Promise<Written>;

  /**
   * Inserts rows with one statement and gives their AUTO_INCREMENT ids, in the order of the rows. Durable as `execute`.
   *
   * @param table one whose ids are in a column `id`.
   * @param columns as many as each row has values.
   * @param rows at least one.
   * @throws {RangeError} (rejects) for no rows.
   */
  abstract insert(
    table: string,
    columns: readonly string[],
    rows: readonly (readonly SqlValue[])[],
  ): Promise<readonly bigint[]>;

  /** Whether the running code is inside a transaction, whose statements must not travel with those of others. */
  abstract readonly inTransaction: boolean;

  /**
   * Runs `work` in one transaction: committed when it resolves, rolled back when it rejects. A nested call joins. Where
   * the server has done nothing of it, after a deadlock or on a node that turned out to be no writer, it runs again, three
   * times in all, so it must have no effects but those in the database.
   *
   * @param isolation to see what others have not committed yet; READ COMMITTED where it is left out, or in a nested call.
   */
  abstract transaction<T>(work: () => Promise<T>, isolation?: 'READ UNCOMMITTED'): Promise<T>;
}

/** A statement that the engine refused for a reason that trying again does not mend. Carries no SQL and no values. */
export class DatabaseError extends Error {
  /**
   * @param code the engine's own name of the failure, e.g. `ER_DUP_ENTRY`, `SQLITE_CONSTRAINT_UNIQUE`.
   * @param duplicateKey true when a unique key was hit.
   */
  constructor(
    readonly code: string,
    readonly duplicateKey: boolean,
    options?: ErrorOptions,
  ) {
    super(`The database refused a statement (${code})`, options);
    this.name = 'DatabaseError';
  }
}
