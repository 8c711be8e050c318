import { Module, type DynamicModule } from '@nestjs/common';
import { pino, stdTimeFunctions, type Logger } from 'pino';
import { LineWriter } from './line-writer.js';
import { cleanLine, redactedPaths, serializers } from './redaction.js';

/** The service's log: one JSON object a line. */
export type Log = Logger;

/** What Nest injects the log by: `@Inject(LOG) log: Log`. */
export const LOG = Symbol('animal-store:log');

export interface LogSettings {
  readonly level: string;
  readonly format: 'json' | 'pretty';
  readonly version: string;
  /** What the running code works for: request id, trace, feature. Added to each line, which is given by its fields. */
  readonly context: (line: object) => object;
  /** Standard error for a command whose standard output belongs to its result. */
  readonly stream?: 'stdout' | 'stderr';
  /** Called for every line that is dropped because nobody reads them. */
  readonly onDrop?: () => void;
}

/** Makes the log. A line holds what is named here or given by the caller. */
export async function createLog(settings: LogSettings): Promise<Log> {
  const stream = settings.stream ?? 'stdout';
  const format = settings.format === 'pretty' ? await prettyLines() : undefined;
  const destination = new LineWriter(stream, settings.onDrop ?? (() => undefined), format);
  const base = { service: 'animal-store', version: settings.version, pid: process.pid };
  return pino(
    {
      level: settings.level,
      base,
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

/**
 * Resolves once every line so far is written, or when nobody took it for a second. A process that exits before that
 * may leave its last lines unwritten.
 */
export function flushLog(log: Log): Promise<void> {
  return new Promise((resolve) => log.flush(() => resolve()));
}

/** What a line of the access log has (exchange-observer.ts). */
interface AccessLine {
  readonly level: string;
  readonly time: string;
  readonly event?: string;
  readonly http: {
    readonly method: string;
    readonly route?: string;
    readonly path?: string;
    readonly status?: number;
    readonly duration_ms: number;
  };
  readonly code?: string;
}

/**
 * Makes of a line what a person reads on a terminal: a request is one line, anything else shows its fields below. Loaded
 * only then: every start would take longer.
 */
export async function prettyLines(): Promise<(line: string) => string> {
  const { prettyFactory } = await import('pino-pretty');
  const pretty = prettyFactory({ ignore: 'pid,service,version,event', translateTime: 'SYS:HH:MM:ss' });
  return (line) => {
    const entry = JSON.parse(line) as AccessLine;
    if (entry.event !== 'http.request') return pretty(showEscapes(line));
    const { level, time, http, code } = entry;
    const { method, route = '', path = route, status = 'aborted', duration_ms: duration } = http;
    const words = [method, path, status, Math.round(duration), 'ms', code].filter((word) => word !== undefined);
    return pretty(showEscapes(JSON.stringify({ level, time, msg: words.join(' ') })));
  };
}

/** Has a terminal show what it would act on: in a text that was read, JSON's escapes are characters again. */
function showEscapes(line: string): string {
  return line.replace(/\\(?:u[\da-f]{4}|.)/gi, (escape) => (/^\\[ubfr]/.test(escape) ? `\\${escape}` : escape));
}

/** The service's log, by `LOG`. */
@Module({})
export class LoggingModule {
  static of(log: Log): DynamicModule {
    return { module: LoggingModule, global: true, providers: [{ provide: LOG, useValue: log }], exports: [LOG] };
  }
}

/** When an outage began, which every line about it has, whatever is done to the clock meanwhile, and how long it lasts. */
export class OutageTime {
  /** ISO 8601 in UTC, by the clock as the outage was seen first. */
  readonly since: string;

  /** @param startedAt monotonic, as `performance.now()` gives it. */
  constructor(private readonly startedAt = performance.now()) {
    this.since = new Date(Date.now() - (performance.now() - startedAt)).toISOString();
  }

  /** How long it has lasted by now, to a thousandth. */
  get seconds(): number {
    return Math.round(performance.now() - this.startedAt) / 1000;
  }
}
