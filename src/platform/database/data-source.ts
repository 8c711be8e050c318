import type { DataSourceOptions } from 'typeorm';
import type { Config } from '../config/index.js';
import type { Entities, Feature } from '../feature.js';
import { DatabaseWatch, type DatabaseObservers } from './database-watch.js';
import { MysqlEngine } from './mysql/mysql-engine.js';
import { PlatformDataSource } from './platform-data-source.js';
import { MIGRATION_TABLE, StatementLog } from './statement-log.js';
import { SqliteEngine } from './sqlite/sqlite-engine.js';

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
