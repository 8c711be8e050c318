export { startTracing } from './start-tracing.js';
export { inTraces, tracePlace, tracing, type TracePlace, type Tracing } from './tracing.js';
