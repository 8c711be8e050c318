export {
  CONFIG,
  type Config,
  type DatabaseConfig,
  type HttpConfig,
  type ManagementConfig,
  type Setting,
} from './config.js';
export { ConfigModule, exposeFeatureValues } from './config.module.js';
export {
  currentDatabaseTarget,
  databaseFile,
  showDatabaseTarget,
  type DatabaseTarget,
  type MySqlTarget,
  type SqliteTarget,
} from './database-target.js';
export {
  defineConfig,
  variable,
  type ConfigValues,
  type ConfigVariables,
  type Configured,
  type FeatureConfig,
} from './feature-config.js';
export {
  describeConfig,
  documentedSections,
  renderExample,
  renderMarkdown,
  type DocumentedSection,
} from './documentation.js';
export { ConfigError, loadEnvironment, type Fault } from './environment.js';
export { loadConfig, readVariable } from './load-config.js';
export { isPlatformVariable } from './variables.js';
export { readFileBytes, readTextFile, UnusableFile } from './text-file.js';
