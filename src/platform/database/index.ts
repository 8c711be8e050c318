export { Batcher, createBatcher, type BatcherOptions } from './batcher.js';
export { MIGRATION_TABLE } from './statement-log.js';
export { databaseNow, inList, MOST_TOGETHER, queryEach, type InList } from './sql-statements.js';
export {
  codeOf,
  databaseFailure,
  isDuplicateKey,
  isForeignKey,
  isLocked,
  isOutcomeUnknown,
  rootOf,
  statementFault,
  type StatementFault,
} from './database-failure.js';
export { DatabaseModule } from './database.module.js';
export { DatabaseLink, migrationLog } from './database-link.js';
export { requireDurableWrites } from './durable-write.js';
export { DatabaseOutages } from './database-outages.js';
export { createDataSource, PlatformDataSource } from './data-source.js';
export { UnusableDatabase, unusableDatabase } from './database-outages.js';
export { LOCK_TABLE } from './migration-lock.js';
export { MOST_COUNTED, planMigrations, tableSizes, type TableSize } from './migration-plan.js';
export { Migrator, type MigrationSource, type MigrationListener } from './migrator.js';
