import type { DiagLogger } from '@opentelemetry/api';
import { ExportResultCode, getStringFromEnv, type ExportResult } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { OutageTime, type Log } from '../logging/index.js';

/** Milliseconds in which the same message is logged once. */
const QUIET_MS = 60_000;
/** Messages to remember. */
const MOST = 100;

/** What OpenTelemetry's SDK complains of, as lines of the service's log: it may repeat a complaint for hours. */
export class SdkLog implements DiagLogger {
  readonly info = (): void => {};
  readonly debug = this.info;
  readonly verbose = this.info;
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

interface Outage {
  readonly time: OutageTime;
  /** The causes that were logged of it. */
  readonly causes: Set<string>;
  lostSpans: number;
}

/** Logs when the collector does not take spans and when it does again: one line for each cause, however many exports fail. */
export class ReportingExporter implements SpanExporter {
  private outage: Outage | undefined;

  constructor(
    private readonly exporter: SpanExporter,
    private readonly log: Log,
    private readonly collector = collectorOf(),
  ) {}

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.exporter.export(spans, ({ code, error }) => {
      if (code === ExportResultCode.SUCCESS) this.worked();
      else this.failed(spans.length, error);
      // A failure would be logged once more, in the SDK's words.
      done({ code: ExportResultCode.SUCCESS });
    });
  }

  async forceFlush(): Promise<void> {
    await this.exporter.forceFlush?.();
  }

  async shutdown(): Promise<void> {
    await this.exporter.shutdown();
  }

  private failed(
    lost: number,
    error: Error = new Error('The collector asks for a retry (429, 502, 503 or 504)'),
  ): void {
    this.outage ??= { time: new OutageTime(), causes: new Set(), lostSpans: 0 };
    this.outage.lostSpans += lost;
    const cause = causeOf(error);
    if (this.outage.causes.has(cause)) return;
    this.outage.causes.add(cause);
    const message =
      'The collector does not take spans, which are lost until it does; requests are served as before. Is it running, and is OTEL_EXPORTER_OTLP_ENDPOINT its address?';
    const { since } = this.outage.time;
    this.log.warn({ event: 'tracing.unavailable', host: this.collector, since, cause }, message);
  }

  private worked(): void {
    if (this.outage === undefined) return;
    const { time, lostSpans } = this.outage;
    const { since, seconds } = time;
    this.outage = undefined;
    const fields = { event: 'tracing.recovered', host: this.collector, since, seconds, lost_spans: lostSpans };
    this.log.info(fields, 'The collector takes spans again');
  }
}

/** A code of the network, or the status that was answered: `ECONNREFUSED`, `401 Unauthorized`. */
function causeOf(error: Error): string {
  const { code } = error as { code?: string | number };
  return typeof code === 'string' ? code : [code, error.message].filter(Boolean).join(' ').slice(0, 100);
}

/** Its host and port, without a login. The exporter has read the same variables, and says what it cannot use of them. */
function collectorOf(): string | undefined {
  const url = getStringFromEnv('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? getStringFromEnv('OTEL_EXPORTER_OTLP_ENDPOINT');
  return URL.parse(url ?? 'http://localhost:4318')?.host;
}
