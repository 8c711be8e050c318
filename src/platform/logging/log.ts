import { pino, stdTimeFunctions, type DestinationStream, type Logger } from 'pino';

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

/**
 * Makes the log. It writes asynchronously, in batches, and knows no secret: a line holds only what is named
 * here or given by the caller.
 */
export async function createLog(settings: LogSettings): Promise<Log> {
  const descriptor = settings.stream === 'stderr' ? 2 : 1;
  const destination =
    settings.format === 'pretty'
      ? await prettyDestination(descriptor)
      : pino.destination({ dest: descriptor, sync: false });
  return pino(
    {
      level: settings.level,
      base: { service: 'animal-store', version: settings.version, pid: process.pid },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      mixin: settings.context,
      serializers: { err: describeError },
    },
    destination,
  );
}

/** Loaded only where a person reads along: it costs 40 ms of start-up. */
async function prettyDestination(descriptor: 1 | 2): Promise<DestinationStream> {
  const { default: pretty } = await import('pino-pretty');
  return pretty({ destination: descriptor, ignore: 'pid,service,version,event', translateTime: 'SYS:HH:MM:ss' });
}

/** An error by allow-list: TypeORM's carry SQL and parameters, drivers' carry addresses, none of which is logged. */
export function describeError(thrown: unknown): object {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: 'A value that is not an Error was thrown' };
  const { code, errno } = thrown as { code?: unknown; errno?: unknown };
  return {
    type: thrown.name,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(typeof errno === 'number' ? { errno } : {}),
    message: isFromDriver(thrown) ? 'The database failed' : thrown.message,
    stack: isFromDriver(thrown) ? undefined : thrown.stack,
  };
}

/** A driver's message may quote the values of a statement, e.g. "Duplicate entry 'Rex' for key". */
function isFromDriver(error: Error): boolean {
  return error.name === 'QueryFailedError' || 'sqlMessage' in error || error.name === 'SqliteError';
}
