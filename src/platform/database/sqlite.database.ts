import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type BetterSqlite3 from 'better-sqlite3-v13';
import { createLRU } from 'lru.min';
import type { DataSource } from 'typeorm';
import type { Config } from '../config/index.js';
import { ApiError } from '../errors/index.js';
import type { DatabaseWatch } from './database-watch.js';
import { Database, type Row, type SqlValue, type Written } from './database.js';
import { requireSqlValues } from './sql-values.js';
import { statementFault } from './statement-fault.js';
import { insertStatement } from './insert-statement.js';
import { within } from './deadline.js';
import { isFileLock, translateSqliteFault } from './sqlite-failure.js';
import { MOST_STATEMENTS } from './statement-summary.js';
import { requireColumns } from './union-statement.js';
import { NotAskedError, unavailable } from './unavailable.js';

/** Database on the embedded SQLite file: one connection, so one transaction at a time. */
export class SqliteDatabase extends Database {
  readonly dialect = 'sqlite';
  private readonly transactions = new AsyncLocalStorage<true>();
  private readonly statements = createLRU<string, BetterSqlite3.Statement>({ max: MOST_STATEMENTS });
  /** Settles when the transaction that runs now, and those that wait before, are over. */
  private turn: Promise<unknown> = Promise.resolve();
  private open = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly settings: Config['database'],
    private readonly watch: DatabaseWatch,
    private readonly schemaIsCurrent: () => boolean,
  ) {
    super();
  }

  async query<T extends Row = Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<T[]> {
    requireSqlValues(sql, parameters);
    return this.run(sql, () => this.prepare(sql).all(...parameters) as T[]);
  }

  async queryEach(sql: string, parameters: readonly (readonly SqlValue[])[]): Promise<Row[][]> {
    requireColumns(sql);
    return Promise.all(parameters.map((values) => this.query(sql, values)));
  }

  async execute(sql: string, parameters: readonly SqlValue[] = []): Promise<Written> {
    requireSqlValues(sql, parameters);
    return this.run(sql, () => {
      const { changes, lastInsertRowid } = this.prepare(sql).run(...parameters);
      return { affectedRows: changes, insertId: BigInt(lastInsertRowid) };
    });
  }

  async insert(
    table: string,
    columns: readonly string[],
    rows: readonly (readonly SqlValue[])[],
  ): Promise<readonly bigint[]> {
    const made = await this.query(`${insertStatement(table, columns, rows.length)} RETURNING id`, rows.flat());
    return made.map((row) => row['id'] as bigint);
  }

  get inTransaction(): boolean {
    return this.transactions.getStore() === true;
  }

  async transaction<T>(work: () => Promise<T>): Promise<T> {
    if (this.transactions.getStore() === true) return work();
    const before = this.turn;
    const finished = Promise.withResolvers<undefined>();
    this.turn = before.then(() => finished.promise);
    try {
      await within(this.settings.acquireTimeoutMs + this.settings.queryTimeoutMs, before, () => undefined);
      return await this.transactions.run(true, () => this.transact(work));
    } finally {
      finished.resolve(undefined);
    }
  }

  private async transact<T>(work: () => Promise<T>): Promise<T> {
    await this.control('BEGIN IMMEDIATE', () => {
      this.prepare('BEGIN IMMEDIATE').run();
      // In the same breath, so that no statement of another's comes between.
      this.open = true;
    });
    try {
      const result = await work();
      await this.control('COMMIT', () => this.prepare('COMMIT').run());
      return result;
    } catch (error) {
      this.rollBack();
      throw error;
    } finally {
      this.open = false;
    }
  }

  /** The fault that led here is the one to tell of. A connection that is closed has rolled back. */
  private rollBack(): void {
    try {
      if (this.connection.inTransaction) this.prepare('ROLLBACK').run();
    } catch {
      return;
    }
  }

  private async control(sql: string, statement: () => unknown): Promise<void> {
    const startedAt = performance.now();
    try {
      await this.attempt(statement);
    } catch (error) {
      this.tell(sql, error, startedAt);
      throw error;
    }
  }

  private async run<T>(sql: string, statement: () => T): Promise<T> {
    const startedAt = performance.now();
    try {
      const result = await this.attempt(statement, this.inTransaction);
      this.watch.ran(sql, startedAt);
      return result;
    } catch (error) {
      this.watch.ran(sql, startedAt, statementFault(error));
      this.tell(sql, error, startedAt);
      throw error;
    }
  }

  private tell(sql: string, error: unknown, startedAt: number): void {
    const fault = error instanceof ApiError ? error.cause : undefined;
    if (fault !== undefined && !(fault instanceof NotAskedError)) this.watch.refused(sql, fault, startedAt);
  }

  /** @param joined whether it belongs to the open transaction; else it must not slip into it on the only connection. */
  private async attempt<T>(statement: () => T, joined = true): Promise<T> {
    const start = performance.now();
    for (;;) {
      // Looked at until the very moment: between the end of one transaction and here the next may have begun.
      while (!joined && this.open) {
        const left = start + this.settings.acquireTimeoutMs - performance.now();
        await within(Math.max(0, left), this.turn, () => undefined);
      }
      try {
        return statement();
      } catch (fault) {
        const code = (fault as { code?: string }).code ?? '';
        if (!isFileLock(code) || performance.now() >= start + this.settings.queryTimeoutMs)
          throw translateSqliteFault(fault, code);
        await sleep(5 + Math.random() * 20);
      }
    }
  }

  private prepare(sql: string): BetterSqlite3.Statement {
    let statement = this.statements.get(sql);
    if (statement === undefined) {
      statement = this.connection.prepare(sql).safeIntegers(true);
      this.statements.set(sql, statement);
    }
    return statement;
  }

  private get connection(): BetterSqlite3.Database {
    const { databaseConnection } = this.dataSource.driver as unknown as { databaseConnection?: BetterSqlite3.Database };
    if (databaseConnection?.open !== true || !this.schemaIsCurrent()) {
      throw unavailable(new NotAskedError('The database is not ready yet'));
    }
    return databaseConnection;
  }
}
