import { pino, stdTimeFunctions, type DestinationStream, type Logger } from 'pino';
import { cleanLine, redactedPaths, serializers } from './redaction.js';

/** The service's log: one JSON object a line (operations §2, "Log fields"). */
export type Log = Logger;

export interface LogSettings {
  readonly level: string;
  readonly format: 'json' | 'pretty';
  readonly version: string;
  /** What the running code works for: request id, trace. Added to each line. */
  readonly context: () => object;
  /** Standard error for a command whose standard output belongs to its result. */
  readonly stream?: 'stdout' | 'stderr';
}

/** Makes the log. It writes asynchronously, in batches; a line holds what is named here or given by the caller. */
export async function createLog(settings: LogSettings): Promise<Log> {
  const descriptor = settings.stream === 'stderr' ? 2 : 1;
  const destination =
    settings.format === 'pretty'
      ? await prettyDestination(descriptor)
      : // With a least length above 0 its `flush` waits, and every line is longer than that.
        pino.destination({ dest: descriptor, sync: false, minLength: 1 });
  return pino(
    {
      level: settings.level,
      base: { service: 'animal-store', version: settings.version, pid: process.pid },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      mixin: settings.context,
      serializers,
      redact: { paths: redactedPaths, censor: '[redacted]' },
      hooks: { streamWrite: cleanLine },
    },
    destination,
  );
}

/** Milliseconds that whoever reads the log has to take its last lines. */
const LAST_LINES_MS = 1000;

/**
 * Resolves once every line so far is written, or when nobody took it for a second. A process that exits before that
 * leaves its last lines out of order, or unwritten.
 */
export function flushLog(log: Log): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LAST_LINES_MS);
    log.flush(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Loaded only where a person reads along: it costs 40 ms of start-up. */
async function prettyDestination(descriptor: 1 | 2): Promise<DestinationStream> {
  const { default: pretty } = await import('pino-pretty');
  return pretty({ destination: descriptor, ignore: 'pid,service,version,event', translateTime: 'SYS:HH:MM:ss' });
}
