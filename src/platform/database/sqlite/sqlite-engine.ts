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

/** Whoever asks: a query runner, or one statement by itself. */
type Owner = object;

/** Statements that steer a transaction; they are not counted as statements of their own. */
const CONTROL = /^(BEGIN TRANSACTION|COMMIT|ROLLBACK)$/;

/** SQLite below TypeORM: one connection for all, so one transaction at a time, and no statement of others inside of it. */
export class SqliteEngine {
  isReady: () => boolean = () => true;
  connection: SqliteConnection | undefined;
  /** Whose transaction is open. */
  private holder: Owner | undefined;
  private endTurn: () => void = () => undefined;
  /** Settles when the transaction that runs now, and those that wait before, are over. */
  private turn: Promise<unknown> = Promise.resolve();
  /** What made SQLite end the holder's transaction by itself. */
  private lost: unknown;

  constructor(
    readonly settings: Pick<Config['database'], 'acquireTimeoutMs' | 'queryTimeoutMs'>,
    private readonly watch: DatabaseWatch,
  ) {}

  /**
   * Runs a statement, in the transaction of `owner` where it has one.
   *
   * @throws {Error} (rejects) what SQLite says, `LateError`, or `NotAskedError`.
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

  /** Runs one statement by itself. Rejects as `run`. */
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

  /** Rolls back what `owner` left open. */
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
        // In the same turn, so that no statement of another owner comes between.
        this.holder = owner;
        this.endTurn = () => finished.resolve(undefined);
        return begun;
      });
    } catch (fault) {
      finished.resolve(undefined);
      throw fault;
    }
  }

  /** A connection that is closed has rolled back, and so has SQLite after some faults. */
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
      // Looked at until the very moment: between the end of one transaction and here the next may have begun.
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

/** Milliseconds that SQLite may block the process waiting for another process's lock, outside of the first look. */
const BUSY_MS = 50;

export interface SqliteResult {
  /** Of a statement that reads, or says what it wrote. */
  readonly rows: Record<string, unknown>[] | undefined;
  readonly changes: number;
  readonly lastId: bigint;
}

interface Prepared {
  readonly statement: BetterSqlite3.Statement;
  /** What is to be done with the values of some columns, by their names. */
  readonly converts: readonly (readonly [name: string, convert: Convert])[];
}

/** The one connection to an SQLite file: statements stay prepared, and values are those that MySQL gives. */
export class SqliteConnection {
  private readonly files: SqliteFiles;
  private readonly prepared = createLRU<string, Prepared>({ max: MOST_STATEMENTS });

  /** Acknowledged means durable: a commit is on the disk when it returns (WAL with synchronous=FULL). */
  constructor(readonly database: BetterSqlite3.Database) {
    database.pragma('busy_timeout = 5000');
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    // The write-ahead log is there from the first read on.
    database.prepare('SELECT name FROM sqlite_schema LIMIT 1').all();
    this.files = new SqliteFiles(database);
    database.pragma(`busy_timeout = ${BUSY_MS}`);
    database.pragma('foreign_keys = ON');
  }

  /**
   * @param values as `boundValues` gives them.
   * @throws what SQLite says.
   */
  run(sql: string, values: readonly unknown[]): SqliteResult {
    const { statement, converts } = this.prepare(sql);
    if (statement.reader) {
      const rows = this.files.run(statement, () => statement.all(...values)) as Record<string, unknown>[];
      return { rows: converted(rows, converts), changes: rows.length, lastId: 0n };
    }
    const { changes, lastInsertRowid } = this.files.run(statement, () => statement.run(...values));
    // What is known of columns may be another now.
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
