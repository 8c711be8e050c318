import { ConfigError } from './config-error.js';
import type { DatabaseConfig } from './config.js';
import { databaseUrl, type DatabaseTarget } from './database-target.js';
import { readValueFile } from './given-values.js';
import { parserOf } from './value-kinds.js';

/**
 * The target for a new connection. Where DATABASE_URL came from a file, the file is read again, so that a rotated
 * password holds from the next connection on, without a restart.
 *
 * @throws {ConfigError} when the file has become unreadable or its content invalid.
 */
export function currentDatabaseTarget(database: Pick<DatabaseConfig, 'target' | 'urlFile'>): DatabaseTarget {
  if (database.urlFile === undefined) return database.target;
  const name = 'DATABASE_URL';
  const read = readValueFile(name, database.urlFile);
  if ('reason' in read) throw new ConfigError([read]);
  try {
    return parserOf(databaseUrl())(read.text);
  } catch (error) {
    throw new ConfigError([{ name, reason: error instanceof Error ? error.message : 'cannot be read' }]);
  }
}
