import { prettyFactory } from 'pino-pretty';

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

const pretty = prettyFactory({ ignore: 'pid,service,version,event', translateTime: 'SYS:HH:MM:ss' });

/** A line of the log as a person reads it on a terminal: a request is one line, anything else shows its fields below. */
export function prettyLine(line: string): string {
  const entry = JSON.parse(line) as AccessLine;
  if (entry.event !== 'http.request') return pretty(showEscapes(line));
  const { level, time, http, code } = entry;
  const { method, route = '', path = route, status = 'aborted', duration_ms: duration } = http;
  const words = [method, path, status, Math.round(duration), 'ms', code].filter((word) => word !== undefined);
  return pretty(showEscapes(JSON.stringify({ level, time, msg: words.join(' ') })));
}

/** Has a terminal show what it would act on: in a text that was read, JSON's escapes are characters again. */
function showEscapes(line: string): string {
  return line.replace(/\\(?:u[\da-f]{4}|.)/gi, (escape) => (/^\\[ubfr]/.test(escape) ? `\\${escape}` : escape));
}
