import type { DataSource } from 'typeorm';
import type { Config } from '../config/index.js';
import type { Database } from './database.js';
import { DatabaseWatch, type DatabaseObservers } from './database-watch.js';
import { MysqlDatabase } from './mysql.database.js';
import { SqliteDatabase } from './sqlite.database.js';

/**
 * The database on the engine that the configuration names.
 *
 * @param schemaIsCurrent until it says so, every statement is `service_unavailable`.
 */
export function createDatabase(
  dataSource: DataSource,
  settings: Config['database'],
  observers: DatabaseObservers = {},
  schemaIsCurrent = (): boolean => true,
): Database {
  const { target } = settings;
  if (target.kind === 'mysql') {
    const watch = new DatabaseWatch(observers, 'mysql', target.database);
    return new MysqlDatabase(dataSource, settings, watch, schemaIsCurrent);
  }
  return new SqliteDatabase(dataSource, settings, new DatabaseWatch(observers, 'sqlite', 'main'), schemaIsCurrent);
}
