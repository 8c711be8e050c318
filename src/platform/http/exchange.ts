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
  /** The media type that the request says, without parameters and in lower case. */
  readonly mediaType: string;
  /** Leaves the bytes to an interceptor of the feature's. */
  leave(): void;
}

/** One request and its answer: what the steps of a request's way know of it and leave for the next. */
export class Exchange {
  /** The inbound X-Request-Id if it is well formed, else a new UUIDv7 (contract, "HTTP"). */
  readonly id: string;
  /** The caller's, until the request has a span of its own. */
  trace: TraceContext | undefined;
  /** Monotonic milliseconds, `performance.now()`. */
  readonly startedAt = performance.now();
  /** The same of its end; Infinity until then. */
  endedAt = Infinity;
  /** Headers that every answer of this exchange carries, success or failure. */
  readonly headers: Record<string, string> = {};
  /** Values of the Link header, in order. */
  readonly links: string[] = [];
  /** Whether the features had not started when it began. */
  isEarly = false;
  route: Route | undefined;
  principal: Principal | undefined;
  /** What stands against an answer by a middleware of a feature, once one of them was about to see the request. */
  middlewareRefusal: Promise<(() => Promise<unknown>) | undefined> | undefined;
  /** Whether the body is being read, or a middleware of a feature has the request and may read it. */
  waitsForBody = false;
  /** What the limit of its client says of it, once that is asked. */
  quota: boolean | Promise<boolean> | undefined;
  /** The body of an operation that may have one, until it is read. */
  body: IncomingBody | undefined;
  /** What is wrong in the bytes of its body, where that came before they were read. */
  bodyFault: ApiError | undefined;
  /** Whether pipes of a feature's own have the body, rather than the parameters. */
  isBodyPiped = false;
  /** What the exchange failed with, for the log. */
  failure: ApiError | undefined;
  /** Where what was made is. */
  location: string | undefined;
  /** Where it counts while there is something to do for it. */
  workload: Workload | undefined;
  /** Whether it counts there now. */
  isWorkedOn = false;
  /** Monotonic milliseconds until which it must be answered; Infinity while its time does not run. */
  dueAt = Infinity;
  /** Its place among those that are worked on, for the list that they are in. */
  placeAmongActive: Node<Exchange> | undefined;
  /** The same among those whose time runs. */
  placeAmongAwaited: Node<Exchange> | undefined;

  constructor(
    readonly request: IncomingMessage & { readonly originalUrl?: string; readonly ip?: string },
    readonly response: ServerResponse,
  ) {
    this.id = requestIdOf(request);
    this.trace = parseTraceparent(request.headers.traceparent);
  }

  /** Whether its response is closed. */
  get isOver(): boolean {
    return this.endedAt !== Infinity;
  }

  get method(): string {
    return this.request.method ?? 'GET';
  }

  /** The method for telemetry: each invented method would make a series of its own. */
  get knownMethod(): string {
    return METHODS.has(this.method) ? this.method : '_OTHER';
  }

  /** The path as it was sent, without the query, nor what comes before it in an absolute form (RFC 9112 §3.2.2). */
  get path(): string {
    return this.url.split('?', 1)[0] as string;
  }

  /** The query as it was sent, without the `?`. */
  get queryText(): string {
    return this.url.slice(this.path.length + 1);
  }

  /** The query's text as Express has it: a feature's middleware may have rewritten `request.url`. */
  get effectiveQuery(): string {
    const { url = '' } = this.request;
    const mark = url.indexOf('?');
    return mark < 0 ? '' : url.slice(mark + 1);
  }

  /** The same, parsed. URLSearchParams drops one leading `?` itself, so that `/v1/pets??a=1` keeps its own. */
  get query(): URLSearchParams {
    return new URLSearchParams(`?${this.effectiveQuery}`);
  }

  /**
   * The address of the client: that of the socket, or what TRUST_PROXY lets a proxy say in X-Forwarded-For, where that is an
   * address and not just any text. Undefined once the socket is gone.
   */
  get clientAddress(): string | undefined {
    const { headers, socket } = this.request;
    // Express reads the header for it.
    const said = headers['x-forwarded-for'] === undefined ? undefined : this.request.ip;
    return bareIpv4(said !== undefined && isIP(said) > 0 ? said : socket.remoteAddress);
  }

  private get url(): string {
    const target = this.request.originalUrl ?? this.request.url ?? '/';
    return target.startsWith('/') ? target : originForm(target);
  }
}

/** The id that a request has, where it is well formed, else a new one. */
export function requestIdOf({ headers: { 'x-request-id': inbound } }: IncomingMessage): string {
  return typeof inbound === 'string' && REQUEST_ID.test(inbound) ? inbound : newRequestId();
}

/** A new UUIDv7 (RFC 9562 §5.7): 48 bits of milliseconds, and the variant and 74 random bits that a UUIDv4 has there too. */
export function newRequestId(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice('xxxxxxxx-xxxx-4'.length)}`;
}

/**
 * How much this process works on now. A request whose body is still arriving, or whose answer its client has yet to take,
 * is no part of it: were it one, slow clients could make the service refuse the others.
 */
export class Workload {
  private amount = 0;

  get size(): number {
    return this.amount;
  }

  /** Adds a request that the process works on now, or again. */
  take(exchange: Exchange): void {
    if (!exchange.isWorkedOn) this.amount += 1;
    exchange.isWorkedOn = true;
  }

  /** There is nothing to do for this, for now or for good. */
  rest(exchange: Exchange): void {
    if (exchange.isWorkedOn) this.amount -= 1;
    exchange.isWorkedOn = false;
  }
}

type Carrier = IncomingMessage & { [EXCHANGE]?: Exchange };

/** Begins the exchange of a request, which knows it from then on. */
export function beginExchange(request: IncomingMessage, response: ServerResponse): Exchange {
  const exchange = new Exchange(request, response);
  (request as Carrier)[EXCHANGE] = exchange;
  return exchange;
}

/** Runs what is done for an exchange, for which all that comes of it works too. */
export function runWithin(exchange: Exchange, work: () => void): void {
  running.run(exchange, work);
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

/**
 * A request target without the scheme and the authority of an absolute form (RFC 9112 §3.2.2). Express would have
 * `url.parse` find the path: that takes `\` for `/`, and what it cannot read matches no route, or every one.
 *
 * @param target one that begins with no slash.
 */
export function originForm(target: string): string {
  const path = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '');
  return path === '' || path.startsWith('?') ? `/${path}` : path;
}

/** An IPv4 address with a port, or an IPv6 address in brackets, which may have one. */
const WITH_PORT = /^\s*(?:\[([\da-f.]*:[\da-f:.]*)\](?::\d{1,5})?|(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5})\s*$/i;

/**
 * Leaves the addresses alone in X-Forwarded-For, where some proxies write ports too. Express takes an element as it
 * stands, so that each connection of a client would be another client.
 */
export function dropForwardedPorts(headers: IncomingHttpHeaders): void {
  const forwarded = headers['x-forwarded-for'];
  // Node joins what is repeated.
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

/** The caller of a request whose key is accepted. */
export interface Principal {
  /** The key's public id, 8 characters; safe to log. */
  readonly keyId: string;
  /** The client that the key was made for. Several keys may belong to one client. */
  readonly client: string;
  /** What the key may do; `*` is everything. */
  readonly scopes: readonly string[];
}

/** A caller's trace, as W3C Trace Context puts it. */
interface TraceContext {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  /** 16 lower-case hex digits: the caller's span. */
  readonly spanId: string;
}

/** The 55 characters of version 00 are all of it; a later version may go on. */
const TRACEPARENT = /^(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(?:-|$)/;

/** Reads a `traceparent` header (W3C Trace Context §3.2). Anything malformed is as if it had not been sent. */
function parseTraceparent(header: string | string[] | undefined): TraceContext | undefined {
  if (typeof header !== 'string') return undefined;
  const [, traceId, spanId] = TRACEPARENT.exec(header) ?? [];
  return traceId === undefined || spanId === undefined ? undefined : { traceId, spanId };
}
