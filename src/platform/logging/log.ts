import { Module, type DynamicModule } from '@nestjs/common';
import { pino, stdTimeFunctions, type Logger } from 'pino';
import { LineWriter } from './line-writer.js';
import { cleanLine, redactedPaths, serializers } from './redaction.js';

/** The log of the service: one JSON object per line. */
export type Log = Logger;

/** The injection token of the log: `@Inject(LOG) log: Log`. */
export const LOG = Symbol('animal-store:log');

export interface LogSettings {
  readonly level: string;
  readonly format: 'json' | 'pretty';
  readonly version: string;
  /**
   * Returns fields of the running request for a line: request id, trace, feature. It receives the fields of the line.
   */
  readonly context: (line: object) => object;
  /** Default: `stdout`. A command that prints its result there logs to `stderr`. */
  readonly stream?: 'stdout' | 'stderr';
  /** Called for every line that is dropped because the reader does not take them. */
  readonly onDrop?: () => void;
}

/** Creates the log. A line holds the fields listed here and those that the caller passes. */
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
 * Resolves when every line so far is written, or when the reader took nothing for a second. A process that exits
 * earlier may lose its last lines.
 */
export function flushLog(log: Log): Promise<void> {
  return new Promise((resolve) => log.flush(() => resolve()));
}

/** The fields of an access log line (exchange-observer.ts). */
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
 * Formats lines for a terminal: a request is one line, any other line shows its fields below. pino-pretty is loaded
 * only here, because it would slow down every start.
 */
export async function prettyLines(): Promise<(line: string) => string> {
  // The default export: both Node and a bundler give the whole CommonJS module by it.
  const { default: pinoPretty } = await import('pino-pretty');
  const pretty = pinoPretty.prettyFactory({ ignore: 'pid,service,version,event', translateTime: 'SYS:HH:MM:ss' });
  return (line) => {
    const entry = JSON.parse(line) as AccessLine;
    if (entry.event !== 'http.request') return pretty(showEscapes(line));
    const { level, time, http, code } = entry;
    const { method, route = '', path = route, status = 'aborted', duration_ms: duration } = http;
    const words = [method, path, status, Math.round(duration), 'ms', code].filter((word) => word !== undefined);
    return pretty(showEscapes(JSON.stringify({ level, time, msg: words.join(' ') })));
  };
}

/**
 * pino-pretty decodes the escapes of JSON. Escaping them twice makes the terminal show control characters instead of
 * acting on them.
 */
function showEscapes(line: string): string {
  return line.replace(/\\(?:u[\da-f]{4}|.)/gi, (escape) => (/^\\[ubfr]/.test(escape) ? `\\${escape}` : escape));
}

/** Provides the log as `LOG`. */
@Module({})
export class LoggingModule {
  static of(log: Log): DynamicModule {
    return { module: LoggingModule, global: true, providers: [{ provide: LOG, useValue: log }], exports: [LOG] };
  }
}

/** The begin and the duration of an outage, for the lines about it. Changes of the system clock do not affect them. */
export class OutageTime {
  /** When the outage began, ISO 8601 in UTC. Computed once, with the system clock, when this object is created. */
  readonly since: string;

  /** @param startedAt milliseconds, as `performance.now()` gives them. Default: now. */
  constructor(private readonly startedAt = performance.now()) {
    this.since = new Date(Date.now() - (performance.now() - startedAt)).toISOString();
  }

  /** The duration so far, in seconds with three decimals. */
  get seconds(): number {
    return Math.round(performance.now() - this.startedAt) / 1000;
  }
}
