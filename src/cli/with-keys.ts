import { ApiKeyStore, keyEnvironmentOf, LoggedKeyAudit, ApiKeysFileWriter } from '../platform/auth/index.js';
import { SystemClock } from '../platform/time.js';
import type { Feature } from '../platform/feature.js';
import type { WithKeys, WithKeysFile } from './keys.command.js';
import { commandLog } from './command-log.js';
import { withDatabase } from './with-database.js';
import type { LogSettings } from '../platform/logging/index.js';
import { loadEnvironment, readVariable } from '../platform/config/index.js';

/** The keys in the database. */
export function withKeysOf(features: readonly Feature[]): WithKeys {
  return (work) =>
    withDatabase(features, { migrate: true }, async ({ config, dataSource }) => {
      const clock = new SystemClock();
      const keys = new ApiKeyStore(dataSource, clock, await commandAudit(config.log), keyEnvironmentOf(config.env));
      return work(keys, clock, config.auth.cacheTtlMs);
    });
}

/** The trail of keys in the log. On a terminal nobody collects it, and the sentence of the command says the same. */
async function commandAudit(settings: Pick<LogSettings, 'level' | 'format'>): Promise<Pick<LoggedKeyAudit, 'record'>> {
  if (settings.format === 'pretty') return { record: () => undefined };
  return new LoggedKeyAudit(await commandLog(settings));
}

/** Keys in a file need no database, nor the rest of the configuration: such a file may be made on any machine. */
export const withKeysFile: WithKeysFile = async (path, work) => {
  const audit = await commandAudit({ level: 'info', format: process.stderr.isTTY ? 'pretty' : 'json' });
  const environment = keyEnvironmentOf(readVariable(loadEnvironment(), 'NODE_ENV'));
  return work(new ApiKeysFileWriter(path, audit, environment), new SystemClock());
};
