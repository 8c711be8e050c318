import type { EntityMetadata, Table, TableColumn } from 'typeorm';
import { Query } from 'typeorm/driver/Query.js';
import { MysqlDriver } from 'typeorm/driver/mysql/MysqlDriver.js';
import { MysqlQueryRunner } from 'typeorm/driver/mysql/MysqlQueryRunner.js';
import { generatedMap, readValue, returnedMap, type ColumnMetadata } from '../values.js';
import type { ResultHeader } from './mysql-connection.js';
import type { MysqlEngine } from './mysql-engine.js';
import { EndedTransactionError } from '../database-failure.js';
import { RunnerState, type StatementLog } from '../statement-log.js';
import { MysqlLease } from './mysql-lease.js';

type ReplicationMode = Parameters<MysqlDriver['createQueryRunner']>[0];

/** TypeORM's driver with exact values and ids. Its query runners use a `MysqlLease`. */
export class PlatformMysqlDriver extends MysqlDriver {
  constructor(
    dataSource: MysqlDriver['dataSource'],
    readonly engine: MysqlEngine,
  ) {
    super(dataSource);
  }

  override createQueryRunner(mode: ReplicationMode): PlatformMysqlQueryRunner {
    return new PlatformMysqlQueryRunner(this, mode);
  }

  override prepareHydratedValue(value: unknown, column: ColumnMetadata): unknown {
    return super.prepareHydratedValue(readValue(value, column), column) as unknown;
  }

  /** MariaDB returns each generated id and each default. */
  override isReturningSqlSupported(kind: 'delete' | 'insert' | 'update'): boolean {
    return kind === 'insert' && this.engine.isMariaDb;
  }

  /**
   * MySQL returns only the first id. In every innodb_autoinc_lock_mode, a statement with a known number of rows gets
   * ids at equal distances. The distance is the session's auto_increment_increment.
   */
  override createGeneratedMap(
    metadata: EntityMetadata,
    result: ResultHeader | Record<string, unknown> | undefined,
    index: number,
  ): Record<string, unknown> | undefined {
    if (result === undefined) return undefined;
    if (!('insertId' in result)) return returnedMap(metadata, result);
    const { insertId, idStep = 1n } = result as ResultHeader;
    return generatedMap(metadata, insertId === 0 ? undefined : BigInt(insertId) + BigInt(index) * idStep);
  }
}

/** TypeORM's query runner on a lease. It supports MariaDB, and keeps the data of a column whose type changes. */
export class PlatformMysqlQueryRunner extends MysqlQueryRunner {
  declare driver: PlatformMysqlDriver;
  readonly state = new RunnerState();

  override connect(): Promise<unknown> {
    this.databaseConnection ??= new TypeOrmConnection(new MysqlLease(this.driver.engine, this.state));
    return Promise.resolve(this.databaseConnection);
  }

  override async query(...args: Parameters<MysqlQueryRunner['query']>): Promise<unknown> {
    if (this.isReleased) throw new EndedTransactionError();
    this.state.callers = (this.dataSource.logger as StatementLog).callers(this.state);
    return super.query(...args);
  }

  override release(): Promise<void> {
    return this.state.isHeld ? Promise.resolve() : super.release();
  }

  /** TypeORM would drop a column whose type or length changes, and add an empty one. */
  override async changeColumn(
    tableOrName: Table | string,
    columnOrName: TableColumn | string,
    changed: TableColumn,
  ): Promise<void> {
    const table = typeof tableOrName === 'string' ? await this.getCachedTable(tableOrName) : tableOrName;
    const column =
      typeof columnOrName === 'string' ? table.columns.find(({ name }) => name === columnOrName) : columnOrName;
    const isOther = column !== undefined && (column.type !== changed.type || column.length !== changed.length);
    if (!isOther || column.generatedType !== undefined || changed.generatedType !== undefined)
      return super.changeColumn(table, column ?? columnOrName, changed);
    const { type, length, precision, scale } = changed;
    const retyped = Object.assign(column.clone(), { type, length, precision, scale });
    await this.executeQueries(this.modify(table, retyped), this.modify(table, column));
    const changedTable = table.clone();
    changedTable.columns = table.columns.map((each) => (each.name === column.name ? retyped : each));
    this.replaceCachedTable(table, changedTable);
    return super.changeColumn(table, retyped, changed);
  }

  /** MariaDB returns defaults as SQL, including NULL. TypeORM expects that only for the type `mariadb`. */
  protected override async loadTables(names?: string[]): Promise<Table[]> {
    const tables = await super.loadTables(names);
    if (!this.driver.engine.isMariaDb) return tables;
    for (const column of tables.flatMap(({ columns }) => columns)) {
      const text: unknown = column.default;
      if (text === "'NULL'") column.default = undefined;
      else if (typeof text === 'string' && text.startsWith("''")) column.default = text.slice(1, -1);
    }
    return tables;
  }

  private modify(table: Table, column: TableColumn): Query {
    return new Query(`ALTER TABLE ${this.escapePath(table)} MODIFY ${this.buildCreateColumnSql(column, true)}`);
  }
}

/** The part of a mysql2 connection that TypeORM uses. */
class TypeOrmConnection {
  constructor(private readonly lease: MysqlLease) {}

  promise(): { query(sql: string, parameters?: readonly unknown[]): Promise<[unknown]> } {
    return { query: async (sql, parameters = []) => [await this.lease.run(sql, parameters)] };
  }

  query(): never {
    throw new Error('A stream of rows is not supported, since SQLite has none. Read page by page');
  }

  release(): void {
    this.lease.release();
  }
}
