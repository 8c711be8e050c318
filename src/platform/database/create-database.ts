import type { DataSource } from 'typeorm';
import type { Config } from '../config/index.js';
import type { Database } from './database.js';
import { MysqlDatabase } from './mysql.database.js';
import { SqliteDatabase } from './sqlite.database.js';

/** The database on the engine that the configuration names. */
export function createDatabase(dataSource: DataSource, settings: Config['database']): Database {
  const Engine = settings.target.kind === 'mysql' ? MysqlDatabase : SqliteDatabase;
  return new Engine(dataSource, settings);
}
