export { createDataSource, MIGRATION_TABLE } from './data-source.js';
export { Database, DatabaseError, type Row, type SqlValue, type StatementOptions, type Written } from './database.js';
export { inList, type InList } from './in-list.js';
export { DatabaseLink } from './database-link.js';
export { createDatabase } from './create-database.js';
export { LockWaitError } from './deadline.js';
export { LOCK_TABLE } from './migration-lock.js';
export { isOutage } from './mysql-failure.js';
export { Migrator, type MigrationSource } from './migrator.js';
