import type { EntityMetadata } from 'typeorm';
import { MysqlDriver } from 'typeorm/driver/mysql/MysqlDriver.js';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { generatedMap, readValue, returnedMap } from '../values.js';
import type { ResultHeader } from './mysql-connection.js';
import type { MysqlEngine } from './mysql-engine.js';
import { MysqlLease } from './mysql-lease.js';
import { MysqlSchemaRunner } from './mysql-schema-runner.js';

type ReplicationMode = Parameters<MysqlDriver['createQueryRunner']>[0];

/** TypeORM's driver with exact values and ids, and query runners that hold a `MysqlLease`. */
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

  /** MariaDB says each id that it gave, and each default. */
  override isReturningSqlSupported(kind: 'delete' | 'insert' | 'update'): boolean {
    return kind === 'insert' && this.engine.isMariaDb;
  }

  /**
   * MySQL says the first id; a statement with a known number of rows gets consecutive ones, in every
   * innodb_autoinc_lock_mode, apart by the session's auto_increment_increment.
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

/** TypeORM's query runner on a lease. */
export class PlatformMysqlQueryRunner extends MysqlSchemaRunner {
  /** Whether it is refused as long as the database is not ready for features. */
  isGated = false;
  /** Whether a transaction has it, which outlives whoever releases it. */
  isHeld = false;
  /** Milliseconds for each statement; the configured ones unless it is set before the first statement. */
  timeoutMs: number | undefined;

  constructor(
    private readonly platformDriver: PlatformMysqlDriver,
    mode: ReplicationMode,
  ) {
    super(platformDriver, mode);
  }

  override connect(): Promise<unknown> {
    const { engine } = this.platformDriver;
    const lease = (): MysqlLease => new MysqlLease(engine, { timeoutMs: this.timeoutMs, isGated: this.isGated });
    this.databaseConnection ??= new TypeOrmConnection(lease());
    return Promise.resolve(this.databaseConnection);
  }

  override release(): Promise<void> {
    return this.isHeld ? Promise.resolve() : super.release();
  }
}

/** What TypeORM asks of a connection of mysql2. */
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
