import { DataSourceDatabase } from './data-source.database.js';
import type { Database } from './database.js';
import type { PlatformDataSource } from './platform-data-source.js';

export function createDatabase(dataSource: PlatformDataSource): Database {
  return new DataSourceDatabase(dataSource);
}
