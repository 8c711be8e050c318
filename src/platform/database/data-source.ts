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

/** Whose tables the database has. */
export type SchemaSource = Pick<Feature, 'migrations'> & { readonly entities: Entities };

/**
 * One data source for the whole service: the tables of all features, never synchronised, only migrated. The drivers are this
 * package's own, wherever npm puts them: TypeORM would look for them beside itself, and for a better-sqlite3 of a major
 * version that has no build for Node 24. Only the one that is used is loaded.
 *
 * @throws {ConfigError} for certificates that cannot be used. @throws {TypeORMError} for an entity that is none.
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

/** The transaction that some code runs in. */
interface Transaction {
  readonly runner: PlatformRunner;
  /** What is still under way after its end is outside of it. */
  isOver: boolean;
  /** Settles when the nested transactions before this moment are over: one savepoint at a time. */
  turn: Promise<unknown>;
}

/**
 * TypeORM's DataSource with what the service promises: every statement has a deadline, code that runs inside of
 * `transaction` belongs to it, whichever repository it uses, and a transaction of which the server has done nothing runs
 * again, so it must have no effects but those in the database.
 */
export class PlatformDataSource extends DataSource {
  /** What `destroy` waits for: a migration that is under way. */
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
   * Reads the entities, so that repositories are made before there is a database.
   *
   * @throws {TypeORMError} (rejects) for an entity that is none. @throws {StartFault} for a column that the engine would round.
   */
  async prepare(): Promise<this> {
    await super.buildMetadatas();
    if (!isMysql(this.engine)) requireExactDecimals(this.entityMetadatas);
    return this;
  }

  /** TypeORM would do so again as it connects, and forget the subscribers that providers have added by then. */
  protected override buildMetadatas(): Promise<void> {
    return Promise.resolve();
  }

  /** @param isReady until it says so, statements of features are refused as those of a database that is away. */
  openWhen(isReady: () => boolean): void {
    this.engine.isReady = isReady;
  }

  /** Whether the running code is inside of a transaction, whose statements must not travel with those of others. */
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

  /** One that works before features may use the database, and whose statements may take any time. */
  createMigrationRunner(): PlatformRunner {
    const runner = super.createQueryRunner() as PlatformRunner;
    runner.state.timeoutMs = Infinity;
    return runner;
  }

  /** Runs one statement, without a detour through TypeORM's query runner where nobody listens to it. */
  override async query<T = unknown>(
    sql: string,
    parameters: readonly unknown[] = [],
    runner: QueryRunner | undefined = this.current?.runner,
  ): Promise<T> {
    if (runner !== undefined || this.subscribers.length > 0) return super.query<T>(sql, [...parameters], runner);
    return this.ask<T>(sql, parameters, { isGated: true });
  }

  /** One statement outside of any transaction; before features may use the database too, unless it is gated. */
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

  /** Gives `work` statements on a connection of its own, beside the pool, where the engine has more than one. */
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

  /** Runs `work` in a transaction of its own; inside of another one, in a savepoint of that. */
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

/** TypeORM's EntityManager, whose transactions repositories join that were injected. */
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
