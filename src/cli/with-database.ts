import type { Config } from '../platform/config/index.js';
import { loadConfig, loadEnvironment } from '../platform/config/index.js';
import { createDatabase, createDataSource, Migrator, type Database } from '../platform/database/index.js';
import { platformSchema } from '../platform/schema.js';
import { features } from '../features.js';

export interface OpenDatabase {
  readonly config: Config;
  readonly database: Database;
  readonly migrator: Migrator;
}

/**
 * Runs `work` on the database that the environment names, and closes it again.
 *
 * @param options.migrate whether to bring the schema first, where MIGRATIONS=run.
 */
export async function withDatabase<T>(
  options: { readonly migrate: boolean },
  work: (open: OpenDatabase) => Promise<T>,
): Promise<T> {
  const config = loadConfig(loadEnvironment());
  const dataSource = createDataSource(config, [platformSchema, ...features]);
  await dataSource.initialize();
  try {
    const migrator = new Migrator(dataSource);
    if (options.migrate && config.migrations === 'run') await migrator.run();
    return await work({ config, database: createDatabase(dataSource, config.database), migrator });
  } finally {
    await dataSource.destroy();
  }
}
