import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type BetterSqlite3 from 'better-sqlite3-v13';
import { QueryFailedError, QueryResult, type EntityMetadata, type Table } from 'typeorm';
import { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver.js';
import { BetterSqlite3QueryRunner } from 'typeorm/driver/better-sqlite3/BetterSqlite3QueryRunner.js';
import { isDecimal, readValue, returnedMap, type ColumnMetadata } from '../values.js';
import { EndedTransactionError } from '../database-failure.js';
import { RunnerState, type StatementLog } from '../statement-log.js';
import { SqliteConnection, type SqliteEngine } from './sqlite-engine.js';
import { roundedTime, storedDecimal } from './sqlite-values.js';

/** TypeORM's driver with exact values and ids. It creates a query runner for each caller; TypeORM's own shares one. */
export class PlatformSqliteDriver extends BetterSqlite3Driver {
  constructor(
    dataSource: BetterSqlite3Driver['dataSource'],
    readonly engine: SqliteEngine,
  ) {
    super(dataSource);
  }

  override createQueryRunner(): PlatformSqliteQueryRunner {
    return new PlatformSqliteQueryRunner(this);
  }

  /** SQLite generates ids only for INTEGER, which holds every int64. */
  override normalizeType(column: Parameters<BetterSqlite3Driver['normalizeType']>[0]): string {
    const type = super.normalizeType(column);
    return type === 'bigint' && (column as ColumnMetadata).generationStrategy === 'increment' ? 'integer' : type;
  }

  override prepareHydratedValue(value: unknown, column: ColumnMetadata): unknown {
    return super.prepareHydratedValue(readValue(value, column), column) as unknown;
  }

  override preparePersistentValue(value: unknown, column: ColumnMetadata): unknown {
    const stored: unknown = super.preparePersistentValue(value, column);
    if (isDecimal(column)) return storedDecimal(stored, column);
    const isTime = column.type === 'datetime' || column.type === Date;
    return isTime && typeof stored === 'string' ? roundedTime(stored, column.precision ?? 0) : stored;
  }

  /** RETURNING gives each id and each default, in the order of the rows. */
  override isReturningSqlSupported(kind?: 'delete' | 'insert' | 'update'): boolean {
    return kind === 'insert';
  }

  override createGeneratedMap(
    metadata: EntityMetadata,
    row: Record<string, unknown> | bigint | undefined,
  ): Record<string, unknown> | undefined {
    return typeof row === 'object' ? returnedMap(metadata, row) : undefined;
  }

  protected override createDatabaseConnection(): Promise<BetterSqlite3.Database> {
    const { database: path, driver: Database } = this.options as { database: string; driver: typeof BetterSqlite3 };
    if (path !== ':memory:') makeFolder(dirname(resolve(path)));
    const database = new Database(path);
    this.engine.connection = new SqliteConnection(database);
    return Promise.resolve(database);
  }
}

/** TypeORM's query runner. Its statements wait for the transactions of other runners. */
export class PlatformSqliteQueryRunner extends BetterSqlite3QueryRunner {
  declare driver: PlatformSqliteDriver;
  readonly state = new RunnerState();

  override async query(sql: string, parameters: unknown = [], useStructuredResult = false): Promise<QueryResult> {
    if (this.isReleased) throw new EndedTransactionError();
    this.state.callers = (this.dataSource.logger as StatementLog).callers(this.state);
    const values = parameters as unknown[];
    await this.broadcaster.broadcast('BeforeQuery', sql, values);
    this.dataSource.logger.logQuery(sql, values, this);
    try {
      const { rows, changes, lastId } = await this.driver.engine.run(this, sql, values, this.state.isGated);
      const result = new QueryResult<unknown>();
      result.raw = rows ?? lastId;
      if (rows === undefined) result.affected = changes;
      else result.records = rows;
      await this.broadcaster.broadcast('AfterQuery', sql, values, true, undefined, result.raw, undefined);
      return useStructuredResult ? result : (result.raw as QueryResult);
    } catch (fault) {
      this.dataSource.logger.logQueryError(fault as Error, sql, values, this);
      throw new QueryFailedError(sql, values, fault as Error);
    }
  }

  /**
   * TypeORM finds AUTOINCREMENT only after a quoted column name, and reads a primary key without NOT NULL as nullable.
   */
  protected override async loadTables(names?: string[]): Promise<Table[]> {
    const tables = await super.loadTables(names);
    const sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'";
    const counting = new Set(((await this.query(sql)) as unknown as { name: string }[]).map(({ name }) => name));
    for (const { name, columns } of tables) {
      for (const id of columns.filter(({ isPrimary }) => isPrimary)) {
        Object.assign(id, { isNullable: false, ...(counting.has(name) && GENERATED) });
      }
    }
    return tables;
  }

  override async release(): Promise<void> {
    if (this.state.isHeld) return;
    this.driver.engine.release(this);
    await super.release();
    this.isReleased = true;
  }
}

const GENERATED = { isGenerated: true, generationStrategy: 'increment' } as const;

/**
 * Creates one folder after the other, because `recursive` never ends below /proc. Another process may create a folder
 * first.
 */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if (!existsSync(path)) throw error;
  }
}
