import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { v7 as uuidv7 } from 'uuid';
import type { ApiError } from '../errors/index.js';
import type { Route } from '../routing/index.js';
import type { Principal } from './principal.js';
import { parseQuery } from './query.js';
import { originForm } from './request-target.js';
import { parseTraceparent, type TraceContext } from './trace-context.js';
import type { Workload } from './workload.js';

const EXCHANGE = Symbol('animal-store:exchange');
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;
/** Those of OpenTelemetry's `http.request.method`, but CONNECT, which never comes this far. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']);
const running = new AsyncLocalStorage<Exchange>();

/** One request and its answer: what the steps of a request's way know of it and leave for the next. */
export class Exchange {
  /** The inbound X-Request-Id if it is well formed, else a new UUIDv7 (contract, "HTTP"). */
  readonly id: string;
  /** The caller's, until the request has a span of its own. */
  trace: TraceContext | undefined;
  /** Monotonic milliseconds, `performance.now()`. */
  readonly startedAt = performance.now();
  /** Headers that every answer of this exchange carries, success or failure. */
  readonly headers: Record<string, string> = {};
  /** Values of the Link header, in order. */
  readonly links: string[] = [];
  route: Route | undefined;
  principal: Principal | undefined;
  /** What the exchange failed with, for the log. */
  failure: ApiError | undefined;
  /** Where it counts while there is something to do for it. */
  workload: Workload | undefined;

  constructor(readonly request: IncomingMessage & { originalUrl?: string }) {
    const inbound = request.headers['x-request-id'];
    this.id = typeof inbound === 'string' && REQUEST_ID.test(inbound) ? inbound : uuidv7();
    this.trace = parseTraceparent(request.headers.traceparent);
  }

  get method(): string {
    return this.request.method ?? 'GET';
  }

  /** For telemetry: a method that anybody may invent would make a series of its own. */
  get knownMethod(): string {
    return METHODS.has(this.method) ? this.method : '_OTHER';
  }

  /** The path as it was sent, without the query, nor what comes before it in an absolute form (RFC 9112 §3.2.2). */
  get path(): string {
    const url = this.url;
    const mark = url.indexOf('?');
    return mark < 0 ? url : url.slice(0, mark);
  }

  /**
   * Who sent it: the socket's address, or what TRUST_PROXY lets a proxy say in X-Forwarded-For, where that is an
   * address and not just any text. Undefined once the socket is gone.
   */
  get clientAddress(): string | undefined {
    const { ip } = this.request as { ip?: string };
    return ip !== undefined && isIP(ip) > 0 ? ip : this.request.socket.remoteAddress;
  }

  /** The query as it was sent, without the `?`. */
  get queryText(): string {
    const { url } = this;
    const mark = url.indexOf('?');
    return mark < 0 ? '' : url.slice(mark + 1);
  }

  /** The query as Express has it: a feature's middleware may have rewritten `request.url`. */
  get query(): URLSearchParams {
    const { url = '/' } = this.request;
    const mark = url.indexOf('?');
    return parseQuery(mark < 0 ? '' : url.slice(mark + 1));
  }

  private get url(): string {
    return originForm(this.request.originalUrl ?? this.request.url ?? '/');
  }
}

type Carrier = IncomingMessage & { [EXCHANGE]?: Exchange };

/** Begins an exchange and runs its whole way inside it. */
export function runExchange(request: IncomingMessage, way: (exchange: Exchange) => void): void {
  const exchange = new Exchange(request);
  (request as Carrier)[EXCHANGE] = exchange;
  running.run(exchange, way, exchange);
}

/** @throws {Error} for a request that did not come in through the adapter. */
export function exchangeOf(request: object): Exchange {
  const exchange = (request as Carrier)[EXCHANGE];
  if (exchange === undefined) throw new Error('This request did not come in through the HTTP adapter');
  return exchange;
}

/** The exchange that the running code works for; undefined in background work. */
export function currentExchange(): Exchange | undefined {
  return running.getStore();
}

export type Responding = ServerResponse & { readonly req: IncomingMessage };
