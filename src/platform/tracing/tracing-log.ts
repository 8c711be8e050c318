import type { DiagLogger } from '@opentelemetry/api';
import { ExportResultCode, getStringFromEnv, type ExportResult } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { OutageTime, type Log } from '../logging/index.js';

/** Milliseconds. The same message is logged once in this time. */
const QUIET_MS = 60_000;
/** Messages that are remembered at most. */
const MOST = 100;

/** Logs the warnings of OpenTelemetry's SDK. The SDK may repeat one for hours. */
export class SdkLog implements DiagLogger {
  readonly info = (): void => {};
  readonly debug = this.info;
  readonly verbose = this.info;
  private readonly logged = new Map<string, number>();

  constructor(private readonly log: Log) {}

  error(message: string, ...more: unknown[]): void {
    this.warn(message, ...more);
  }

  /** @param more the message itself, if `message` is the name of a component. */
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

/**
 * Removes secrets from a message. The SDK quotes its settings, including headers with their keys, and prints errors as
 * JSON with all their fields.
 */
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
  /** The causes that were logged for this outage. */
  readonly causes: Set<string>;
  lostSpans: number;
}

/**
 * Logs when the collector does not take spans, and when it takes them again. Each cause has one line, however many
 * exports fail.
 */
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
      // The SDK would log a reported failure again.
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

/** A network error code, or the status of the answer: `ECONNREFUSED`, `401 Unauthorized`. */
function causeOf(error: Error): string {
  const { code } = error as { code?: string | number };
  return typeof code === 'string' ? code : [code, error.message].filter(Boolean).join(' ').slice(0, 100);
}

/**
 * The host and port of the collector, without a login. The exporter reads the same variables, and warns of values that
 * it cannot use.
 */
function collectorOf(): string | undefined {
  const url = getStringFromEnv('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? getStringFromEnv('OTEL_EXPORTER_OTLP_ENDPOINT');
  return URL.parse(url ?? 'http://localhost:4318')?.host;
}
