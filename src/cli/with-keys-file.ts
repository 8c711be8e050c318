import { ApiKeysFileWriter, keyEnvironmentOf } from '../platform/auth/index.js';
import { SystemClock } from '../platform/clock.js';
import { loadEnvironment, readNodeEnv } from '../platform/config/index.js';
import { commandAudit } from './command-log.js';
import type { WithKeysFile } from './keys.command.js';

/** Keys in a file need no database, nor the rest of the configuration: such a file may be made on any machine. */
export const withKeysFile: WithKeysFile = async (path, work) => {
  const audit = await commandAudit({ level: 'info', format: process.stderr.isTTY ? 'pretty' : 'json' });
  const environment = keyEnvironmentOf(readNodeEnv(loadEnvironment()));
  return work(new ApiKeysFileWriter(path, audit, environment), new SystemClock());
};
