import { useTracing, type Tracing, type TracingOptions } from './tracing.js';

export { inTraces, tracePlace, tracing, type TracePlace, type Tracing } from './tracing.js';

/** Starts to export traces if OTEL_SDK_DISABLED=false. Otherwise the SDK is not loaded. */
export async function startTracing(options: TracingOptions): Promise<Tracing | undefined> {
  if (options.otel.disabled) return undefined;
  const { OpenTelemetry } = await import('./open-telemetry.js');
  const started = await OpenTelemetry.start(options);
  useTracing(started);
  return started;
}
