import type { Config } from '../platform/config/index.js';
import { createLog, type Log, type LogSettings } from '../platform/logging/index.js';
import { version } from '../platform/version.js';

/** The log of a command. It goes to standard error, since standard output belongs to what was asked for. */
export function commandLog(settings: Pick<LogSettings, 'level' | 'format'>): Promise<Log> {
  return createLog({ ...settings, stream: 'stderr', version, context: () => ({}) });
}

/** The log of a command that nobody reads along, such as the Job of a release: in production, away from a terminal. */
export async function collectedLog({ env, log }: Pick<Config, 'env' | 'log'>): Promise<Log | undefined> {
  return env === 'production' && log.format === 'json' ? commandLog(log) : undefined;
}
