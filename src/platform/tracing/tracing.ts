import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Config } from '../config/index.js';
import type { Log } from '../logging/index.js';

/** The parts of a request that a trace records. The exchange of `platform/http` implements it. */
export interface TracedExchange {
  readonly request: { readonly headers: IncomingHttpHeaders };
  /** One of OpenTelemetry's well-known methods, else `_OTHER`. */
  readonly knownMethod: string;
  readonly path: string;
  /** As it was sent, without the `?`. */
  readonly queryText: string;
  readonly clientAddress: string | undefined;
  /** Set when the request is routed. */
  readonly route: { readonly path: string } | undefined;
  readonly failure: { readonly code: string } | undefined;
  /** The span of the request. The log adds it to lines of the request. */
  trace: { readonly traceId: string; readonly spanId: string } | undefined;
}

/** The parts of a completed statement that a trace records. */
export interface Statement {
  readonly sql: string;
  /** Such as `mysql` or `sqlite`. */
  readonly system: string;
  readonly namespace: string;
  /** Such as `SELECT`. */
  readonly operation: string;
  /** The table; empty if there is none. */
  readonly collection: string;
  /** Monotonic milliseconds, `performance.now()`. */
  readonly startedAt: number;
  readonly fault: { readonly type: string; readonly status?: string } | undefined;
}

/** The position of running code in a trace. */
export type TracePlace = object;

/** Records traces while they are enabled. */
export interface Tracing {
  /** Runs a request in its server span. The span ends when the response closes. */
  request(exchange: TracedExchange, response: ServerResponse, way: () => void): void;

  /** Records a statement that has just ended, if it belongs to a trace. */
  statement(statement: Statement): void;

  /** The position of the running code. */
  place(): TracePlace;

  /**
   * Runs work that several requests share. It becomes a part of the first sampled trace, with links to and from the
   * others.
   *
   * @param places the positions of the code that asked for the work.
   */
  together<T>(places: readonly TracePlace[], work: () => T): T;

  /** Exports the remaining spans. Never rejects, and takes at most 2 seconds. */
  stop(): Promise<void>;
}

export interface TracingOptions {
  readonly otel: Config['otel'];
  readonly log: Log;
  readonly version: string;
  /** The URL at which clients reach the API. Called once, at the first request. */
  readonly publicUrl: () => string;
}

let running: Tracing | undefined;

/** Undefined unless OTEL_SDK_DISABLED=false. Without traces nothing is loaded or stored for them. */
export function tracing(): Tracing | undefined {
  return running;
}

/** The position of the running code in a trace; undefined while traces are off. */
export function tracePlace(): TracePlace | undefined {
  return running?.place();
}

/** Runs work that several requests share, as a part of the trace of each. */
export function inTraces<T>(places: () => readonly (TracePlace | undefined)[], work: () => T): T {
  if (running === undefined) return work();
  const known = places().filter((place) => place !== undefined);
  return running.together(known, work);
}

/** Sets the tracing of the process. There is one per process, as in OpenTelemetry's API. */
export function useTracing(started: Tracing | undefined): void {
  running = started;
}
