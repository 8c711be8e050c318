import { ApiKeysFileWriter, keyEnvironmentOf, LoggedKeyAudit } from '../platform/auth/index.js';
import { SystemClock } from '../platform/clock.js';
import { loadEnvironment } from '../platform/config/index.js';
import { createLog } from '../platform/logging/index.js';
import { version } from '../platform/version.js';
import type { WithKeysFile } from './keys.command.js';

/** Keys in a file need no database, nor the rest of the configuration: such a file may be made on any machine. */
export const withKeysFile: WithKeysFile = async (path, work) => {
  const format = process.stderr.isTTY ? 'pretty' : 'json';
  const log = await createLog({ level: 'info', format, stream: 'stderr', version, context: () => ({}) });
  const environment = keyEnvironmentOf(loadEnvironment()['NODE_ENV'] ?? 'development');
  return work(new ApiKeysFileWriter(path, new LoggedKeyAudit(log), environment), new SystemClock());
};
