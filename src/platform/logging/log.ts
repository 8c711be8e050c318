import { pino, type DestinationStream, type Logger } from 'pino';
import { lineTime } from './line-time.js';
import { LineWriter } from './line-writer.js';
import { cleanLine, redactedPaths, serializers } from './redaction.js';

/** The service's log: one JSON object a line. */
export type Log = Logger;

export interface LogSettings {
  readonly level: string;
  readonly format: 'json' | 'pretty';
  readonly version: string;
  /** What the running code works for: request id, trace, feature. Added to each line, which is given by its fields. */
  readonly context: (line: object) => object;
  /** Standard error for a command whose standard output belongs to its result. */
  readonly stream?: 'stdout' | 'stderr';
  /** Told of every line that is dropped because nobody takes them. */
  readonly onDrop?: () => void;
}

/** Makes the log. A line holds what is named here or given by the caller. */
export async function createLog(settings: LogSettings): Promise<Log> {
  const stream = settings.stream ?? 'stdout';
  const destination =
    settings.format === 'pretty'
      ? await prettyDestination(stream === 'stdout' ? 1 : 2)
      : new LineWriter(stream, settings.onDrop ?? (() => undefined));
  return pino(
    {
      level: settings.level,
      base: { service: 'animal-store', version: settings.version, pid: process.pid },
      timestamp: lineTime,
      formatters: { level: (label) => ({ level: label }) },
      mixin: settings.context,
      serializers,
      redact: { paths: redactedPaths, censor: '[redacted]' },
      hooks: { streamWrite: cleanLine },
    },
    destination,
  );
}

/**
 * Resolves once every line so far is written, or when nobody took it for a second. A process that exits before that
 * may leave its last lines unwritten.
 */
export function flushLog(log: Log): Promise<void> {
  return new Promise((resolve) => log.flush(() => resolve()));
}

/** Loaded only where a person reads along: every start would take longer. */
async function prettyDestination(descriptor: 1 | 2): Promise<DestinationStream> {
  const { default: pretty } = await import('pino-pretty');
  return pretty({ destination: descriptor, ignore: 'pid,service,version,event', translateTime: 'SYS:HH:MM:ss' });
}
