import type { DiagLogger } from '@opentelemetry/api';
import type { Log } from '../logging/index.js';

/** Milliseconds in which the same message is logged once. */
const QUIET_MS = 60_000;
/** Messages to remember. */
const MOST = 100;

/** What OpenTelemetry's SDK complains of, as lines of the service's log: a collector that is away complains for hours. */
export class SdkLog implements DiagLogger {
  readonly info = ignore;
  readonly debug = ignore;
  readonly verbose = ignore;
  private readonly logged = new Map<string, number>();

  constructor(private readonly log: Log) {}

  error(message: string): void {
    this.warn(message);
  }

  warn(message: string): void {
    const text = sayable(message);
    const kind = text.replace(/\d+/g, '0');
    const now = performance.now();
    if (now - (this.logged.get(kind) ?? -QUIET_MS) < QUIET_MS) return;
    if (this.logged.size >= MOST) this.logged.clear();
    this.logged.set(kind, now);
    this.log.warn({ event: 'tracing.warning' }, text);
  }
}

/** The SDK's chatter, which is not asked for. */
function ignore(): void {
  return undefined;
}

/** The SDK quotes what it was given, headers with their keys too, and gives errors as JSON with everything on them. */
function sayable(message: string): string {
  return plain(message)
    .replace(/\(.*\)/gs, '(…)')
    .replace(/'.*'|".*"/gs, '…')
    .replace(/\/\/[^/]*@/g, '//***@')
    .slice(0, 300);
}

function plain(message: string): string {
  if (!message.startsWith('{')) return message;
  try {
    const { name = 'Error', message: said, code } = JSON.parse(message) as Record<string, string | undefined>;
    return `${name}: ${said ?? code ?? 'unknown'}`;
  } catch {
    return 'An unreadable error';
  }
}
