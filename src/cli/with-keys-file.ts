import { ApiKeysFileWriter, keyEnvironmentOf, LoggedKeyAudit } from '../platform/auth/index.js';
import { SystemClock } from '../platform/clock.js';
import { loadConfig, loadEnvironment, type Config } from '../platform/config/index.js';
import { commandLog } from './command-log.js';
import type { WithKeysFile } from './keys.command.js';

/** Keys in a file need no database, nor the rest of the configuration: such a file may be made on any machine. */
export const withKeysFile: WithKeysFile = async (path, work) => {
  const log = await commandLog({ level: 'info', format: process.stderr.isTTY ? 'pretty' : 'json' });
  const environment = keyEnvironmentOf(nodeEnvironment());
  return work(new ApiKeysFileWriter(path, new LoggedKeyAudit(log), environment), new SystemClock());
};

/** @throws {ConfigError} for a NODE_ENV that is none: the key would be of the wrong kind. */
function nodeEnvironment(): Config['env'] {
  const { NODE_ENV, NODE_ENV_FILE } = loadEnvironment();
  // What production asks for besides is not used here.
  const required = { DATABASE_URL: 'sqlite::memory:', PUBLIC_BASE_URL: 'https://localhost/v1' };
  return loadConfig({ ...required, NODE_ENV, NODE_ENV_FILE }).env;
}
