import type { DiagLogger } from '@opentelemetry/api';
import type { Log } from '../logging/index.js';

/** Milliseconds in which the same message is logged once. */
const QUIET_MS = 60_000;
/** Messages to remember. */
const MOST = 100;

/** What OpenTelemetry's SDK complains of, as lines of the service's log: it may repeat a complaint for hours. */
export class SdkLog implements DiagLogger {
  readonly info = ignore;
  readonly debug = ignore;
  readonly verbose = ignore;
  private readonly logged = new Map<string, number>();

  constructor(private readonly log: Log) {}

  error(message: string, ...more: unknown[]): void {
    this.warn(message, ...more);
  }

  /** @param more the message itself, where `message` is the name of a component. */
  warn(message: string, ...more: unknown[]): void {
    const isName = /^\w+$/.test(message);
    const text = sayable(isName && typeof more[0] === 'string' ? more[0] : message);
    const kind = text.replace(/\d+/g, '0');
    const now = performance.now();
    if (now - (this.logged.get(kind) ?? -QUIET_MS) < QUIET_MS) return;
    if (this.logged.size >= MOST) this.logged.clear();
    this.logged.set(kind, now);
    this.log.warn({ event: 'tracing.warning' }, text);
  }
}

/** What the SDK says besides warnings and errors. */
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
