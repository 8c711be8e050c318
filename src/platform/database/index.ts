export { createDataSource } from './data-source.js';
export { MIGRATION_TABLE } from './statement-log.js';
export { Database, DatabaseError, type Row, type SqlValue, type StatementOptions, type Written } from './database.js';
export { databaseNow } from './database-clock.js';
export { inList, type InList } from './in-list.js';
export {
  databaseFailure,
  isDuplicateKey,
  isForeignKey,
  isLocked,
  isOutageError,
  isOutcomeUnknown,
} from './database-failure.js';
export { DatabaseModule } from './database.module.js';
export { DatabaseLink } from './database-link.js';
export { requireDurableWrites } from './durable-write.js';
export { DatabaseOutages } from './database-outages.js';
export { PlatformDataSource } from './platform-data-source.js';
export { UnusableDatabase, unusableDatabase } from './unusable-database.js';
export { createDatabase } from './create-database.js';
export { LOCK_TABLE } from './migration-lock.js';
export { isOutage } from './mysql-failure.js';
export { planMigrations, type PlannedMigration } from './migration-plan.js';
export { Migrator, type MigrationSource, type MigrationListener } from './migrator.js';
export { MOST_COUNTED, tableSizes, type TableSize } from './table-sizes.js';
export { MOST_PARTS } from './union-statement.js';
export { statementFault, type StatementFault } from './statement-fault.js';
export { LockWaitError, OutcomeUnknownError } from './unavailable.js';
