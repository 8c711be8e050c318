import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import type { Node } from 'yallist';
import type { ApiError } from '../errors/index.js';
import type { Route } from '../routing/index.js';
import type { UnreadBody } from '../validation/index.js';

const EXCHANGE = Symbol('animal-store:exchange');
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;
/** The values of OpenTelemetry's `http.request.method`. */
const METHODS = new Set('GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT'.split(' '));
const running = new AsyncLocalStorage<Exchange>();

export interface IncomingBody extends UnreadBody {
  /** The media type of the request, without parameters, in lower case. */
  readonly mediaType: string;
  /** Leaves the bytes to an interceptor of the feature. */
  leave(): void;
}

/** One request and its response, with everything that a step of the request stores for later steps. */
export class Exchange {
  /** The inbound X-Request-Id if it is well formed, else a new UUIDv7 (contract, "HTTP"). */
  readonly id: string;
  /** The trace of the caller, until the request has a span of its own. */
  trace: TraceContext | undefined;
  /** Monotonic milliseconds, `performance.now()`. */
  readonly startedAt = performance.now();
  /** Monotonic milliseconds of the end; Infinity until then. */
  endedAt = Infinity;
  /** Headers of every answer of this exchange, success or error. */
  readonly headers: Record<string, string> = {};
  /** Values of the Link header, in order. */
  readonly links: string[] = [];
  /** Whether the request began before the features had started. */
  isEarly = false;
  route: Route | undefined;
  principal: Principal | undefined;
  /**
   * Resolves to undefined if a feature's middleware may answer. Set before the first such middleware sees the request.
   */
  middlewareRefusal: Promise<(() => Promise<unknown>) | undefined> | undefined;
  /** Whether the body is being read, or a feature's middleware has the request and may read it. */
  waitsForBody = false;
  /** The result of the client's rate limit; undefined until it is checked. */
  quota: boolean | Promise<boolean> | undefined;
  /** The body, if the operation may have one. */
  body: IncomingBody | undefined;
  /** The fault of a body that is malformed or arrives too slowly. */
  bodyFault: ApiError | undefined;
  /** Whether a feature's pipes now have the body, after those for path and query have run. */
  isBodyPiped = false;
  /** The error of the exchange, for the log. */
  failure: ApiError | undefined;
  /** The `Location` header of the answer, for the log. */
  location: string | undefined;
  /** Counts the exchange while the process works on it. */
  workload: Workload | undefined;
  /** Whether `workload` counts it now. */
  isWorkedOn = false;
  /** Monotonic milliseconds by which it must be answered; Infinity until its deadline starts. */
  dueAt = Infinity;
  /** Its node in the list of active exchanges. */
  placeAmongActive: Node<Exchange> | undefined;
  /** Its node in the list of exchanges whose deadline runs. */
  placeAmongAwaited: Node<Exchange> | undefined;

  constructor(
    readonly request: IncomingMessage & { readonly originalUrl?: string; readonly ip?: string },
    readonly response: ServerResponse,
  ) {
    this.id = requestIdOf(request);
    this.trace = parseTraceparent(request.headers.traceparent);
  }

  /** Whether the response is closed, or the request is not handled. */
  get isOver(): boolean {
    return this.endedAt !== Infinity;
  }

  get method(): string {
    return this.request.method ?? 'GET';
  }

  /** The method for telemetry. Every unknown method is `_OTHER`, because each would create a new series. */
  get knownMethod(): string {
    return METHODS.has(this.method) ? this.method : '_OTHER';
  }

  /**
   * The path as it was sent, without the query, and without the scheme and authority of an absolute form (RFC 9112
   * §3.2.2).
   */
  get path(): string {
    return this.url.split('?', 1)[0] as string;
  }

  /** The query as it was sent, without the `?`. */
  get queryText(): string {
    return this.url.slice(this.path.length + 1);
  }

  /** The query as Express sees it: a feature's middleware may have rewritten `request.url`. */
  get effectiveQuery(): string {
    const { url = '' } = this.request;
    const mark = url.indexOf('?');
    return mark < 0 ? '' : url.slice(mark + 1);
  }

  /**
   * `effectiveQuery`, parsed. URLSearchParams drops one leading `?`. One is added, so that `/v1/pets??a=1` keeps its
   * own.
   */
  get query(): URLSearchParams {
    return new URLSearchParams(`?${this.effectiveQuery}`);
  }

  /**
   * The address of the client: that of the socket, or the one in X-Forwarded-For if TRUST_PROXY allows it and it is an
   * IP address. Undefined when the socket is gone.
   */
  get clientAddress(): string | undefined {
    const { headers, socket } = this.request;
    // `request.ip` parses the header, so it is read only when needed.
    const said = headers['x-forwarded-for'] === undefined ? undefined : this.request.ip;
    return bareIpv4(said !== undefined && isIP(said) > 0 ? said : socket.remoteAddress);
  }

  private get url(): string {
    const target = this.request.originalUrl ?? this.request.url ?? '/';
    return target.startsWith('/') ? target : originForm(target);
  }
}

/** The X-Request-Id of the request if it is well formed, else a new id. */
export function requestIdOf({ headers: { 'x-request-id': inbound } }: IncomingMessage): string {
  return typeof inbound === 'string' && REQUEST_ID.test(inbound) ? inbound : newRequestId();
}

/** A new UUIDv7 (RFC 9562 §5.7): 48 bits of milliseconds, then the variant and 74 random bits of a UUIDv4. */
export function newRequestId(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice('xxxxxxxx-xxxx-4'.length)}`;
}

/**
 * The number of requests that this process works on now. A request does not count while its body arrives, or while its
 * client reads the answer. Otherwise slow clients could make the service refuse the others.
 */
export class Workload {
  private amount = 0;

  get size(): number {
    return this.amount;
  }

  /** Counts a request, unless it is counted already. */
  take(exchange: Exchange): void {
    if (!exchange.isWorkedOn) this.amount += 1;
    exchange.isWorkedOn = true;
  }

  /** Stops counting a request that waits or is answered. */
  rest(exchange: Exchange): void {
    if (exchange.isWorkedOn) this.amount -= 1;
    exchange.isWorkedOn = false;
  }
}

type Carrier = IncomingMessage & { [EXCHANGE]?: Exchange };

/** Creates the exchange of a request and stores it on the request. */
export function beginExchange(request: IncomingMessage, response: ServerResponse): Exchange {
  const exchange = new Exchange(request, response);
  (request as Carrier)[EXCHANGE] = exchange;
  return exchange;
}

/** Runs `work` in the async context of an exchange, for `currentExchange`. */
export function runWithin(exchange: Exchange, work: () => void): void {
  running.run(exchange, work);
}

/** @throws {Error} for a request that did not come in through the adapter. */
export function exchangeOf(request: object): Exchange {
  const exchange = (request as Carrier)[EXCHANGE];
  if (exchange === undefined) throw new Error('This request did not come in through the HTTP adapter');
  return exchange;
}

/** The exchange of the running code; undefined in background work. */
export function currentExchange(): Exchange | undefined {
  return running.getStore();
}

/**
 * Removes the scheme and the authority from a request target in absolute form (RFC 9112 §3.2.2). Express would use
 * `url.parse`, which reads `\` as `/`. A target that it cannot parse would match no route, or every route.
 *
 * @param target a target that does not begin with a slash.
 */
export function originForm(target: string): string {
  const path = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '');
  return path === '' || path.startsWith('?') ? `/${path}` : path;
}

/** An IPv4 address with a port, or an IPv6 address in brackets with an optional port. */
const WITH_PORT = /^\s*(?:\[([\da-f.]*:[\da-f:.]*)\](?::\d{1,5})?|(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5})\s*$/i;

/**
 * Removes the ports that some proxies write into X-Forwarded-For. Express does not remove them, so each connection of a
 * client would look like another client.
 */
export function dropForwardedPorts(headers: IncomingHttpHeaders): void {
  const forwarded = headers['x-forwarded-for'];
  // Node joins repeated headers into one text.
  if (typeof forwarded !== 'string') return;
  const addresses = forwarded.split(',').map((element) => {
    const [, v6, v4] = WITH_PORT.exec(element) ?? [];
    return v6 ?? v4 ?? element.trim();
  });
  headers['x-forwarded-for'] = addresses.join(', ');
}

/** A server that listens on `::` sees an IPv4 client as `::ffff:192.0.2.1` (RFC 4291 §2.5.5.2). */
function bareIpv4(address: string | undefined): string | undefined {
  return address?.toLowerCase().startsWith('::ffff:') === true && address.includes('.') ? address.slice(7) : address;
}

/** The caller of a request with an accepted key. */
export interface Principal {
  /** The key's public id, 8 characters; safe to log. */
  readonly keyId: string;
  /** The client that the key was created for. A client may have several keys. */
  readonly client: string;
  /** The scopes of the key; `*` allows everything. */
  readonly scopes: readonly string[];
}

/** The trace of a caller, as in W3C Trace Context. */
interface TraceContext {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  /** 16 lower-case hex digits: the caller's span. */
  readonly spanId: string;
}

/** Version 00 has exactly 55 characters. A later version may have more. */
const TRACEPARENT = /^(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(?:-|$)/;

/** Parses a `traceparent` header (W3C Trace Context §3.2). A malformed one is ignored. */
function parseTraceparent(header: string | string[] | undefined): TraceContext | undefined {
  if (typeof header !== 'string') return undefined;
  const [, traceId, spanId] = TRACEPARENT.exec(header) ?? [];
  return traceId === undefined || spanId === undefined ? undefined : { traceId, spanId };
}
