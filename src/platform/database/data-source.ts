import { AsyncLocalStorage } from 'node:async_hooks';
import {
  DataSource,
  EntityManager,
  QueryFailedError,
  type DataSourceOptions,
  type EntityTarget,
  type ObjectLiteral,
  type QueryRunner,
  type SelectQueryBuilder,
} from 'typeorm';
import type { Config } from '../config/index.js';
import type { Entities, Feature } from '../feature.js';
import { driverErrorOf, retryCode } from './database-failure.js';
import { DatabaseWatch, type DatabaseObservers } from './database-watch.js';
import { PlatformMysqlDriver } from './mysql/mysql-driver.js';
import { MysqlEngine } from './mysql/mysql-engine.js';
import { PlatformQueryBuilder } from './platform-query-builder.js';
import { PlatformSqliteDriver } from './sqlite/sqlite-driver.js';
import { SqliteEngine } from './sqlite/sqlite-engine.js';
import { requireExactDecimals } from './sqlite/sqlite-values.js';
import { MIGRATION_TABLE, StatementLog, type PlatformRunner } from './statement-log.js';

/** A feature, or the platform, with its entities and migrations. */
export type SchemaSource = Pick<Feature, 'migrations'> & { readonly entities: Entities };

/**
 * Creates the one data source of the service, with the tables of all features. They are migrated, never synchronised.
 * The drivers are dependencies of this package, wherever npm installs them. TypeORM would search for them next to
 * itself, and for a major version of better-sqlite3 that has no build for Node 24. Only the driver in use is loaded.
 *
 * @throws {ConfigError} (rejects) for certificates that cannot be used.
 * @throws {TypeORMError} (rejects) for an invalid entity.
 * @throws {StartFault} (rejects) for a column that the engine would round.
 */
export async function createDataSource(
  config: Pick<Config, 'database' | 'env'>,
  sources: readonly SchemaSource[],
  observers: DatabaseObservers = {},
): Promise<PlatformDataSource> {
  const shared = {
    entities: sources.flatMap(({ entities }) => entities) as NonNullable<DataSourceOptions['entities']>,
    migrations: sources.flatMap(({ migrations = [] }) => migrations),
    migrationsTableName: MIGRATION_TABLE,
    synchronize: false,
    logger: new StatementLog(observers.statements ?? observers.log, config.env === 'development'),
  } as const;
  const { target, poolSize } = config.database;
  if (target.kind === 'mysql') {
    const watch = new DatabaseWatch(observers, 'mysql', target.database);
    const engine = new MysqlEngine((await import('mysql2')).default, config, watch, observers.log);
    const driver = { createPool: engine.createPool.bind(engine) };
    const { database } = target;
    return new PlatformDataSource({ ...shared, type: 'mysql', driver, database, poolSize }, engine).prepare();
  }
  const driver = (await import('better-sqlite3-v13')).default;
  const engine = new SqliteEngine(config.database, new DatabaseWatch(observers, 'sqlite', 'main'));
  const options: DataSourceOptions = { ...shared, type: 'better-sqlite3', driver, database: target.path };
  return new PlatformDataSource(options, engine).prepare();
}

type Engine = MysqlEngine | SqliteEngine;
type Isolation = Parameters<QueryRunner['startTransaction']>[0];
type Work<T> = (manager: EntityManager) => Promise<T>;

/** The transaction in which code runs. */
interface Transaction {
  readonly runner: PlatformRunner;
  /** Code that still runs after the end of the transaction is outside it. */
  isOver: boolean;
  /** Settles when the earlier nested transactions have ended: one savepoint at a time. */
  turn: Promise<unknown>;
}

/**
 * TypeORM's DataSource with the promises of the service. Every statement has a deadline, except those of migrations.
 * Code that runs inside `transaction` belongs to it, whichever repository it uses. A transaction runs again if the
 * server has kept nothing of it, so it must have no effects outside the database.
 */
export class PlatformDataSource extends DataSource {
  /** `destroy` waits for this, for example for a running migration. */
  beforeDestroy: () => Promise<void> = () => Promise.resolve();
  private readonly transactions = new AsyncLocalStorage<Transaction>();

  constructor(
    options: DataSourceOptions,
    private readonly engine: Engine,
  ) {
    super(options);
    const driver = isMysql(engine) ? new PlatformMysqlDriver(this, engine) : new PlatformSqliteDriver(this, engine);
    Object.assign(this, { driver });
  }

  /**
   * Reads the entities, so that repositories can be created before the database is connected.
   *
   * @throws {TypeORMError} (rejects) for an invalid entity.
   * @throws {StartFault} (rejects) for a column that the engine would round.
   */
  async prepare(): Promise<this> {
    await super.buildMetadatas();
    if (!isMysql(this.engine)) requireExactDecimals(this.entityMetadatas);
    return this;
  }

  /**
   * Does nothing, because `prepare` has read the entities. TypeORM would read them again when it connects, and drop the
   * subscribers that providers have added.
   */
  protected override buildMetadatas(): Promise<void> {
    return Promise.resolve();
  }

  /** @param isReady while it returns false, statements of features fail as if the database were unavailable. */
  openWhen(isReady: () => boolean): void {
    this.engine.isReady = isReady;
  }

  /**
   * Whether the running code is inside a transaction. Its statements must not be batched with those of other requests.
   */
  get inTransaction(): boolean {
    return this.current !== undefined;
  }

  override createQueryBuilder<Entity extends ObjectLiteral>(
    entity: EntityTarget<Entity>,
    alias: string,
    runner?: QueryRunner,
  ): SelectQueryBuilder<Entity>;
  override createQueryBuilder(runner?: QueryRunner): SelectQueryBuilder<ObjectLiteral>;
  override createQueryBuilder(...args: readonly unknown[]): SelectQueryBuilder<ObjectLiteral> {
    return new PlatformQueryBuilder(super.createQueryBuilder(...(args as [])));
  }

  override createQueryRunner(mode?: Parameters<DataSource['createQueryRunner']>[0]): PlatformRunner {
    const { current: transaction } = this;
    if (transaction !== undefined) return transaction.runner;
    const runner = super.createQueryRunner(mode) as PlatformRunner;
    runner.state.isGated = true;
    return runner;
  }

  /** Creates a query runner that works before features may use the database. Its statements have no deadline. */
  createMigrationRunner(): PlatformRunner {
    const runner = super.createQueryRunner() as PlatformRunner;
    runner.state.timeoutMs = Infinity;
    return runner;
  }

  /**
   * Runs one statement. Outside a transaction and without subscribers it does not use TypeORM's query runner, which is
   * slower.
   */
  override async query<T = unknown>(
    sql: string,
    parameters: readonly unknown[] = [],
    runner: QueryRunner | undefined = this.current?.runner,
  ): Promise<T> {
    if (runner !== undefined || this.subscribers.length > 0) return super.query<T>(sql, [...parameters], runner);
    return this.ask<T>(sql, parameters, { isGated: true });
  }

  /** Runs one statement outside any transaction. If it is gated, it is refused until features may use the database. */
  async ask<T = unknown>(
    sql: string,
    parameters: readonly unknown[] = [],
    options: { readonly isGated?: boolean; readonly timeoutMs?: number } = {},
  ): Promise<T> {
    const log = this.logger as StatementLog;
    const callers = options.isGated === true ? log.callers() : undefined;
    try {
      return (await this.engine.ask(sql, parameters, options)) as T;
    } catch (fault) {
      if (fault instanceof TypeError) throw fault;
      if (options.isGated === true) log.logRefused(fault as Error, sql, undefined, callers);
      throw new QueryFailedError(sql, [...parameters], fault as Error);
    }
  }

  /**
   * Runs `work` with statements on a separate connection, outside the pool. SQLite has only one connection, so it uses
   * that one.
   */
  askAlone<T>(
    work: (ask: (sql: string, parameters: readonly unknown[]) => Promise<unknown>) => Promise<T>,
  ): Promise<T> {
    const { engine } = this;
    return isMysql(engine) ? engine.onOwnConnection(work) : work((sql, parameters) => this.ask(sql, parameters));
  }

  override createEntityManager(runner?: QueryRunner): EntityManager {
    return new PlatformEntityManager(this, runner);
  }

  override async destroy(): Promise<void> {
    await this.beforeDestroy();
    if (this.isInitialized) await super.destroy();
  }

  /** Runs `work` in a new transaction. Inside another transaction it uses a savepoint. */
  async transact<T>(isolation: Isolation, work: Work<T>): Promise<T> {
    const outer = this.current;
    if (outer !== undefined) return this.nest(outer, work);
    const { engine } = this;
    if (!isMysql(engine)) return this.transactOnce(isolation, work);
    const { acquireTimeoutMs, queryTimeoutMs } = engine.settings;
    return engine.budget.retry(
      () => this.transactOnce(isolation, work),
      performance.now() + acquireTimeoutMs + queryTimeoutMs,
      (thrown) => retryCode(driverErrorOf(thrown), 'transaction'),
      (code) => engine.watch.retried(code),
    );
  }

  private async transactOnce<T>(isolation: Isolation, work: Work<T>): Promise<T> {
    const runner = this.createQueryRunner();
    runner.state.isHeld = true;
    try {
      return await this.transactOn(runner, isolation, work);
    } finally {
      runner.state.isHeld = false;
      await runner.release();
    }
  }

  private nest<T>(outer: Transaction, work: Work<T>): Promise<T> {
    const nested = outer.turn.then(() => this.transactOn(outer.runner, undefined, work));
    outer.turn = nested.catch(() => undefined);
    return nested;
  }

  private async transactOn<T>(runner: PlatformRunner, isolation: Isolation, work: Work<T>): Promise<T> {
    const transaction: Transaction = { runner, isOver: false, turn: Promise.resolve() };
    try {
      return await this.transactions.run(transaction, () => inTransaction(runner.manager, isolation, work));
    } finally {
      transaction.isOver = true;
    }
  }

  private get current(): Transaction | undefined {
    const transaction = this.transactions.getStore();
    return transaction?.isOver === false ? transaction : undefined;
  }
}

/** TypeORM's EntityManager. Injected repositories join its transactions. */
class PlatformEntityManager extends EntityManager {
  override transaction<T>(work: Work<T>): Promise<T>;
  override transaction<T>(isolation: NonNullable<Isolation>, work: Work<T>): Promise<T>;
  override transaction<T>(first: NonNullable<Isolation> | Work<T>, second?: Work<T>): Promise<T> {
    const [isolation, work] = typeof first === 'function' ? [undefined, first] : [first, second as Work<T>];
    if (this.queryRunner === undefined) return (this.dataSource as PlatformDataSource).transact(isolation, work);
    return isolation === undefined ? super.transaction(work) : super.transaction(isolation, work);
  }
}

function inTransaction<T>(manager: EntityManager, isolation: Isolation, work: Work<T>): Promise<T> {
  return isolation === undefined ? manager.transaction(work) : manager.transaction(isolation, work);
}

function isMysql(engine: Engine): engine is MysqlEngine {
  return 'budget' in engine;
}
