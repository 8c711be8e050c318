import type { DataSource } from 'typeorm';
import { loadConfig, loadEnvironment } from './platform/config/index.js';
import { createDataSource } from './platform/database/index.js';
import { declareFeatures } from './platform/feature-check/index.js';
import type { Feature } from './platform/feature.js';

/**
 * The entities of these features on the database that the environment names, for TypeORM's command line, which opens it:
 * `typeorm migration:generate -d FILE`, where the file exports it.
 *
 * @throws {ConfigError} (rejects) with every fault of the configuration. @throws {TypeORMError} for an entity that is none.
 */
export async function featureDataSource(features: readonly Feature[]): Promise<DataSource> {
  const config = loadConfig(loadEnvironment(), false, features);
  return createDataSource(config, await declareFeatures(features));
}
