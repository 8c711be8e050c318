import { createLog, type Log, type LogSettings } from '../platform/logging/index.js';
import { version } from '../platform/version.js';

/** The log of a command. It goes to standard error, since standard output belongs to what was asked for. */
export function commandLog(settings: Pick<LogSettings, 'level' | 'format'>): Promise<Log> {
  return createLog({ ...settings, stream: 'stderr', version, context: () => ({}) });
}
