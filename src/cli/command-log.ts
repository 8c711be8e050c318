import type { Config } from '../platform/config/index.js';
import { createLog, type Log, type LogSettings } from '../platform/logging/index.js';
import { version } from '../platform/version.js';

/** The log of a command. It goes to standard error, since standard output belongs to what was asked for. */
export function commandLog(settings: Pick<LogSettings, 'level' | 'format'>): Promise<Log> {
  return createLog({ ...settings, stream: 'stderr', version, context: () => ({}) });
}

/** The log of a command whose output is collected, not read on a terminal, as in production that of the Job of a release. */
export async function collectedLog({ env, log }: Pick<Config, 'env' | 'log'>): Promise<Log | undefined> {
  return env === 'production' && log.format === 'json' ? commandLog(log) : undefined;
}
