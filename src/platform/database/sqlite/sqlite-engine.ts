import { setTimeout as sleep } from 'node:timers/promises';
import type BetterSqlite3 from 'better-sqlite3-v13';
import { createLRU } from 'lru.min';
import type { Config } from '../../config/index.js';
import {
  type DriverFault,
  isFileLock,
  isOutageFault,
  NotAskedError,
  statementFault,
  withDeadline,
} from '../database-failure.js';
import type { DatabaseWatch } from '../database-watch.js';
import { boundValues, MOST_STATEMENTS } from '../sql-statements.js';
import { SqliteFiles } from './sqlite-files.js';
import { convertOf, storedTime, type Convert } from './sqlite-values.js';

/** The user of the connection: a query runner, or one separate statement. */
type Owner = object;

/** Statements that control a transaction. They are not reported as statements. */
const CONTROL = /^(BEGIN TRANSACTION|COMMIT|ROLLBACK)$/;

/**
 * SQLite below TypeORM. All callers share one connection, so there is one transaction at a time, without statements of
 * other callers.
 */
export class SqliteEngine {
  isReady: () => boolean = () => true;
  connection: SqliteConnection | undefined;
  /** The owner of the open transaction. */
  private holder: Owner | undefined;
  private endTurn: () => void = () => undefined;
  /** Settles when the current transaction and those that wait before have ended. */
  private turn: Promise<unknown> = Promise.resolve();
  /** The fault after which SQLite itself ended the transaction of the holder. */
  private lost: unknown;

  constructor(
    readonly settings: Pick<Config['database'], 'acquireTimeoutMs' | 'queryTimeoutMs'>,
    private readonly watch: DatabaseWatch,
  ) {}

  /**
   * Runs a statement. If `owner` has a transaction, the statement runs in it.
   *
   * @throws {Error} (rejects) the error of SQLite, `LateError` or `NotAskedError`.
   */
  async run(owner: Owner, sql: string, parameters: readonly unknown[], isGated: boolean): Promise<SqliteResult> {
    const values = boundValues(sql, parameters, storedTime);
    if (isGated && !this.isReady()) throw new NotAskedError('The database is not ready yet');
    const startedAt = performance.now();
    try {
      if (CONTROL.test(sql)) return await this.control(owner, sql);
      const result = await this.attempt(owner, () => this.opened.run(sql, values));
      this.watch.ran(sql, startedAt);
      return result;
    } catch (fault) {
      if (!CONTROL.test(sql)) this.watch.ran(sql, startedAt, statementFault(fault));
      const isAsked = !(fault instanceof NotAskedError);
      if (isAsked && isOutageFault(fault as DriverFault)) this.watch.refused(sql, fault, startedAt);
      throw fault;
    }
  }

  /** Runs one statement by itself. Rejects like `run`. */
  async ask(
    sql: string,
    parameters: readonly unknown[],
    { isGated = false }: { readonly isGated?: boolean },
  ): Promise<unknown> {
    const owner = {};
    try {
      const { rows, lastId } = await this.run(owner, sql, parameters, isGated);
      return rows ?? lastId;
    } finally {
      this.release(owner);
    }
  }

  /** Rolls back the open transaction of `owner`. */
  release(owner: Owner): void {
    if (this.holder === owner) this.rollBack();
  }

  private async control(owner: Owner, sql: string): Promise<SqliteResult> {
    if (sql === 'BEGIN TRANSACTION') return this.begin(owner);
    if (sql === 'ROLLBACK') {
      this.release(owner);
      return NOTHING;
    }
    await this.attempt(owner, () => this.opened.run('COMMIT', []));
    this.end();
    return NOTHING;
  }

  private async begin(owner: Owner): Promise<SqliteResult> {
    const before = this.turn;
    const finished = Promise.withResolvers<undefined>();
    this.turn = before.then(() => finished.promise);
    try {
      await withDeadline(this.settings.acquireTimeoutMs + this.settings.queryTimeoutMs, before);
      return await this.attempt(owner, () => {
        const begun = this.opened.run('BEGIN IMMEDIATE', []);
        // In the same turn of the event loop, so that no statement of another owner runs in between.
        this.holder = owner;
        this.endTurn = () => finished.resolve(undefined);
        return begun;
      });
    } catch (fault) {
      finished.resolve(undefined);
      throw fault;
    }
  }

  /** A closed connection has no transaction, and after some faults SQLite has rolled back itself. */
  private rollBack(): void {
    try {
      if (this.connection?.database.inTransaction === true) this.connection.run('ROLLBACK', []);
    } finally {
      this.end();
    }
  }

  private end(): void {
    this.holder = undefined;
    this.lost = undefined;
    this.endTurn();
  }

  private async attempt<T>(owner: Owner, statement: () => T): Promise<T> {
    const { acquireTimeoutMs, queryTimeoutMs } = this.settings;
    const start = performance.now();
    for (;;) {
      // Checks again after each wait, because the next transaction may have begun since the last one ended.
      while (this.holder !== undefined && this.holder !== owner) {
        await withDeadline(Math.max(0, start + acquireTimeoutMs - performance.now()), this.turn);
      }
      if (this.lost !== undefined) throw this.lost as Error;
      try {
        return statement();
      } catch (fault) {
        if (this.holder === owner && !this.opened.database.inTransaction) this.lost = fault;
        const { code = '' } = fault as { code?: string };
        if (!isFileLock(code) || performance.now() >= start + queryTimeoutMs) throw fault;
        await sleep(5 + Math.random() * 20);
      }
    }
  }

  private get opened(): SqliteConnection {
    if (this.connection?.database.open !== true) throw new NotAskedError('The database is not ready yet');
    return this.connection;
  }
}

const NOTHING: SqliteResult = { rows: undefined, changes: 0, lastId: 0n };

/**
 * How long SQLite may block the process while another process has a lock. Milliseconds. When the file is opened, it is
 * 5 s.
 */
const BUSY_MS = 50;

export interface SqliteResult {
  /** The rows of a statement that reads, or that has RETURNING; undefined for other statements. */
  readonly rows: Record<string, unknown>[] | undefined;
  readonly changes: number;
  readonly lastId: bigint;
}

interface Prepared {
  readonly statement: BetterSqlite3.Statement;
  /** The conversions of column values, by the name of the column. */
  readonly converts: readonly (readonly [name: string, convert: Convert])[];
}

/** The one connection to an SQLite file. Statements stay prepared, and values are the same as those of MySQL. */
export class SqliteConnection {
  private readonly files: SqliteFiles;
  private readonly prepared = createLRU<string, Prepared>({ max: MOST_STATEMENTS });

  /** An acknowledged commit is durable: it is on the disk when it returns (WAL with synchronous=FULL). */
  constructor(readonly database: BetterSqlite3.Database) {
    database.pragma('busy_timeout = 5000');
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    // The first read creates the write-ahead log.
    database.prepare('SELECT name FROM sqlite_schema LIMIT 1').all();
    this.files = new SqliteFiles(database);
    database.pragma(`busy_timeout = ${BUSY_MS}`);
    database.pragma('foreign_keys = ON');
  }

  /**
   * @param values the result of `boundValues`.
   * @throws the error of SQLite.
   */
  run(sql: string, values: readonly unknown[]): SqliteResult {
    const { statement, converts } = this.prepare(sql);
    if (statement.reader) {
      const rows = this.files.run(statement, () => statement.all(...values)) as Record<string, unknown>[];
      return { rows: converted(rows, converts), changes: rows.length, lastId: 0n };
    }
    const { changes, lastInsertRowid } = this.files.run(statement, () => statement.run(...values));
    // The statement may have changed column types, so statements must be prepared again.
    if (/^\s*(ALTER|CREATE|DROP)\b/i.test(sql)) this.prepared.clear();
    return { rows: undefined, changes, lastId: BigInt(lastInsertRowid) };
  }

  private prepare(sql: string): Prepared {
    let prepared = this.prepared.get(sql);
    if (prepared === undefined) {
      const statement = this.database.prepare(sql).safeIntegers(true);
      prepared = { statement, converts: statement.reader ? convertsOf(statement) : [] };
      this.prepared.set(sql, prepared);
    }
    return prepared;
  }
}

function convertsOf(statement: BetterSqlite3.Statement): [string, Convert][] {
  return statement.columns().map(({ name, type }) => [name, convertOf(type ?? '')]);
}

function converted(rows: Record<string, unknown>[], converts: Prepared['converts']): Record<string, unknown>[] {
  for (const row of rows) for (const [name, convert] of converts) row[name] = convert(row[name]);
  return rows;
}
