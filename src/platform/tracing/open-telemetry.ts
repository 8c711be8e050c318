import {
  context,
  createContextKey,
  diag,
  DiagLogLevel,
  propagation,
  ROOT_CONTEXT,
  trace,
  TraceFlags,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { TracerProvider } from '@opentelemetry/sdk-trace';
import type { ServerResponse } from 'node:http';
import { inTime } from '../time.js';
import { resourceOf, samplerOf, spanLimitsOf, spanProcessorsOf } from './sdk-environment.js';
import { databaseSpan, endServerSpan, serverSpan, type Server } from './spans.js';
import {
  useTracing,
  type Statement,
  type TracedExchange,
  type TracePlace,
  type Tracing,
  type TracingOptions,
} from './tracing.js';
import { SdkLog } from './tracing-log.js';

/**
 * Milliseconds that the collector has to take the last spans. They are part of the five seconds that a shutdown may
 * take after its drain.
 */
const FLUSH_MS = 2000;

/** The spans of the other requests that share the running work. */
const SHARERS = createContextKey('animal-store: sharers');

/** Traces with OpenTelemetry's SDK, configured by the OTEL_ variables. Loaded only if traces are on. */
export class OpenTelemetry implements Tracing {
  private readonly tracer: Tracer;
  private server: Server | undefined;

  private constructor(
    private readonly provider: TracerProvider,
    private readonly log: SdkLog,
    private readonly publicUrl: () => string,
    version: string,
  ) {
    this.tracer = provider.getTracer('animal-store', version);
  }

  static async start({ otel, log, version, publicUrl }: TracingOptions): Promise<OpenTelemetry> {
    // The SDK reads the variables from `process.env`, which has none from `.env`.
    Object.assign(process.env, otel.variables);
    const sdkLog = new SdkLog(log);
    diag.setLogger(sdkLog, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
    const sampler = samplerOf();
    const provider = new TracerProvider({
      ...(sampler && { sampler }),
      spanLimits: spanLimitsOf(),
      resource: resourceOf(version),
      spanProcessors: await spanProcessorsOf(log),
    });
    // Registered globally, so that the spans of a feature that uses @opentelemetry/api belong to the same traces.
    trace.setGlobalTracerProvider(provider);
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
    return new OpenTelemetry(provider, sdkLog, publicUrl, version);
  }

  request(exchange: TracedExchange, response: ServerResponse, way: () => void): void {
    this.server ??= new URL(this.publicUrl());
    const caller = propagation.extract(ROOT_CONTEXT, exchange.request.headers);
    const span = serverSpan(this.tracer, exchange, this.server, caller);
    const { traceId, spanId } = span.spanContext();
    exchange.trace = { traceId, spanId };
    response.once('close', () => endServerSpan(span, exchange, response));
    context.with(trace.setSpan(caller, span), way);
  }

  statement(statement: Statement): void {
    const place = context.active();
    if (sampledSpan(place) === undefined) return;
    const sharers = (place.getValue(SHARERS) ?? []) as readonly Span[];
    const links = sharers.map((sharer) => ({ context: sharer.spanContext() }));
    const made = databaseSpan(this.tracer, statement, place, links);
    for (const sharer of sharers) if (sharer.isRecording()) sharer.addLink({ context: made.spanContext() });
  }

  place(): TracePlace {
    return context.active();
  }

  together<T>(places: readonly TracePlace[], work: () => T): T {
    const sampled = new Map<Span, Context>();
    for (const place of places as readonly Context[]) {
      const span = sampledSpan(place);
      if (span !== undefined && !sampled.has(span)) sampled.set(span, place);
    }
    const [first, ...sharers] = sampled;
    if (first === undefined) return work();
    const spans = sharers.map(([span]) => span);
    return context.with(first[1].setValue(SHARERS, spans), work);
  }

  async stop(): Promise<void> {
    useTracing(undefined);
    const flushed = this.provider.shutdown().then(
      () => true,
      (error: unknown) => {
        this.log.warn(`The last spans could not be exported: ${String(error)}`);
        return true;
      },
    );
    if (!(await inTime(FLUSH_MS, flushed))) {
      this.log.warn('The last spans could not be exported in time');
    }
    for (const api of [trace, context, propagation, diag]) api.disable();
  }
}

/** The span at this position, if it is sampled. It may have ended. */
function sampledSpan(place: Context): Span | undefined {
  const span = trace.getSpan(place);
  return span !== undefined && (span.spanContext().traceFlags & TraceFlags.SAMPLED) !== 0 ? span : undefined;
}
