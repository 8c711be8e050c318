import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Config } from '../config/index.js';
import type { Log } from '../logging/index.js';

/** What a trace records of a request; the exchange of `platform/http` is one. */
export interface TracedExchange {
  readonly request: { readonly headers: IncomingHttpHeaders };
  /** One of OpenTelemetry's well-known methods, else `_OTHER`. */
  readonly knownMethod: string;
  readonly path: string;
  /** As it was sent, without the `?`. */
  readonly queryText: string;
  readonly clientAddress: string | undefined;
  /** Known once the request was routed. */
  readonly route: { readonly path: string } | undefined;
  readonly failure: { readonly code: string } | undefined;
  /** Lines of the log carry it: the request's own span, once it has one. */
  trace: { readonly traceId: string; readonly spanId: string } | undefined;
}

/** What a trace records of a statement that has run. */
export interface Statement {
  readonly sql: string;
  /** `mysql`, `sqlite` */
  readonly system: string;
  readonly namespace: string;
  /** `SELECT` */
  readonly operation: string;
  /** The table; empty where there is none. */
  readonly collection: string;
  /** Monotonic milliseconds, `performance.now()`. */
  readonly startedAt: number;
  readonly fault: { readonly type: string; readonly status?: string } | undefined;
}

/** Where in a trace some code runs. */
export type TracePlace = object;

/** Traces, while there are any. */
export interface Tracing {
  /** Runs a request inside its server span, which ends when the response closes. */
  request(exchange: TracedExchange, response: ServerResponse, way: () => void): void;

  /** Records a statement that ended just now. One that belongs to no trace is left out. */
  statement(statement: Statement): void;

  /** Where the running code is. */
  place(): TracePlace;

  /**
   * Runs work that is done once for many: as a part of the first trace that is recorded, linked to and from the others.
   *
   * @param places where those are that asked for it.
   */
  together<T>(places: readonly TracePlace[], work: () => T): T;

  /** Exports what is not exported yet. Never rejects, and takes at most 2 seconds. */
  stop(): Promise<void>;
}

export interface TracingOptions {
  readonly otel: Config['otel'];
  readonly log: Log;
  readonly version: string;
  /** Where clients reach the API; asked once, at the first request. */
  readonly publicUrl: () => string;
}

let running: Tracing | undefined;

/** Undefined unless OTEL_SDK_DISABLED=false: then nothing is loaded, made or kept for traces. */
export function tracing(): Tracing | undefined {
  return running;
}

/** Where the running code is in a trace; undefined while there are none. */
export function tracePlace(): TracePlace | undefined {
  return running?.place();
}

/** Runs what is done once for all who asked for it from these places: a part of the trace of each. */
export function inTraces<T>(places: () => readonly (TracePlace | undefined)[], work: () => T): T {
  if (running === undefined) return work();
  const known = places().filter((place) => place !== undefined);
  return running.together(known, work);
}

/** One for the process, as OpenTelemetry's API has it. */
export function useTracing(started: Tracing | undefined): void {
  running = started;
}
