import { useTracing, type Tracing, type TracingOptions } from './tracing.js';

export { inTraces, tracePlace, tracing, type TracePlace, type Tracing } from './tracing.js';

/** Starts exporting traces where OTEL_SDK_DISABLED=false; else it loads nothing. */
export async function startTracing(options: TracingOptions): Promise<Tracing | undefined> {
  if (options.otel.disabled) return undefined;
  const { OpenTelemetry } = await import('./open-telemetry.js');
  const started = await OpenTelemetry.start(options);
  useTracing(started);
  return started;
}
