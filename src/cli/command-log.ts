import { LoggedKeyAudit } from '../platform/auth/index.js';
import { createLog, type Log, type LogSettings } from '../platform/logging/index.js';
import { version } from '../platform/version.js';

/** The log of a command. It goes to standard error, since standard output belongs to what was asked for. */
export function commandLog(settings: Pick<LogSettings, 'level' | 'format'>): Promise<Log> {
  return createLog({ ...settings, stream: 'stderr', version, context: () => ({}) });
}

/** The trail of keys in the log. On a terminal nobody collects it, and the sentence of the command says the same. */
export async function commandAudit(
  settings: Pick<LogSettings, 'level' | 'format'>,
): Promise<Pick<LoggedKeyAudit, 'record'>> {
  if (settings.format === 'pretty') return { record: () => undefined };
  return new LoggedKeyAudit(await commandLog(settings));
}
