import type { DataSource } from 'typeorm';
import type { Config } from '../config/index.js';
import type { Metrics } from '../metrics/index.js';
import type { Database } from './database.js';
import { DatabaseWatch } from './database-watch.js';
import { MysqlDatabase } from './mysql.database.js';
import { SqliteDatabase } from './sqlite.database.js';

/**
 * The database on the engine that the configuration names.
 *
 * @param metrics where statements are counted; a command that ends at once counts none.
 * @param schemaIsCurrent until it says so, every statement is `service_unavailable`.
 */
export function createDatabase(
  dataSource: DataSource,
  settings: Config['database'],
  metrics?: Metrics,
  schemaIsCurrent = (): boolean => true,
): Database {
  const { target } = settings;
  return target.kind === 'mysql'
    ? new MysqlDatabase(dataSource, settings, new DatabaseWatch(metrics, 'mysql', target.database), schemaIsCurrent)
    : new SqliteDatabase(dataSource, settings, new DatabaseWatch(metrics, 'sqlite', 'main'), schemaIsCurrent);
}
