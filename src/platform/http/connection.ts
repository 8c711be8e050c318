import { IncomingMessage, ServerResponse, type ServerOptions } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Requests that may wait on one connection. Common clients send the next request only after the answer. */
export const LONGEST_PIPELINE = 32;

/** Milliseconds that a client has to read the last answer and to close the connection. */
const LINGER_MS = 1000;

interface Pipeline {
  /** Requests that have no answer yet. */
  waiting: number;
  /** Requests received so far. */
  joined: number;
  /** The response to the newest request. */
  newest: ServerResponse | undefined;
  /** The position of the last request that is answered: its answer closes the connection. Infinity if none is known. */
  last: number;
  /** Whether an Error must follow the newest answer, because the bytes after its request are no request. */
  isRefusalDue: boolean;
}

const EMPTY: Pipeline = { waiting: 0, joined: 0, newest: undefined, last: Infinity, isRefusalDue: false };
const PLACE = Symbol('animal-store:place');
const pipelines = new WeakMap<Duplex, Pipeline>();

/** A response that joined, with its position on its connection, from 1. */
type Placed = ServerResponse & { [PLACE]?: number };

/**
 * Adds a request to those on its connection that have no answer yet. Node reads all requests of a packet, about two
 * thousand, before it reads from another connection.
 *
 * @returns false if the request must not be answered. After the last answered request the connection closes, and
 * nothing more is carried out (RFC 9112 §9.6). The client sends the other requests again (§9.3.2).
 */
export function joinPipeline(response: ServerResponse): boolean {
  const pipeline = pipelineOn(response.req.socket);
  if (pipeline.joined >= pipeline.last) return false;
  pipeline.joined += 1;
  (response as Placed)[PLACE] = pipeline.joined;
  pipeline.waiting += 1;
  pipeline.newest = response;
  if (pipeline.waiting === LONGEST_PIPELINE) closeAfter(response);
  return true;
}

/** RFC 9110 §9.2.1. */
export const SAFE: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);
/** Responses whose requests wait for the previous answer. */
const behind = new WeakSet<ServerResponse>();

/**
 * Begins the work on a request, at once or after the previous answer. It waits if the previous request waits, or if one
 * of the two is unsafe. Only safe requests of a connection may be processed in parallel (RFC 9112 §9.3.2), so that a
 * GET sees what a POST before it created.
 *
 * @param before the response to the previous request, from `newestOn`.
 */
export function inTurn(response: ServerResponse, before: ServerResponse | undefined, begin: () => void): void {
  if (before === undefined || before.closed || mayRunBeside(response, before)) return begin();
  behind.add(response);
  before.once('close', () => {
    behind.delete(response);
    begin();
  });
}

function mayRunBeside(response: ServerResponse, before: ServerResponse): boolean {
  return SAFE.has(response.req.method) && SAFE.has(before.req.method) && !behind.has(before);
}

/** Must be called when a response that joined is closed. */
export function leavePipeline({ req: { socket } }: ServerResponse): void {
  pipelineOn(socket).waiting -= 1;
}

/** The response to the newest request, to which a fault in later bytes belongs; undefined if there is none. */
export function newestOn(socket: Duplex): ServerResponse | undefined {
  return pipelines.get(socket)?.newest;
}

/** Makes this answer the last one of its connection, unless its head is already sent. */
export function closeAfter(response: ServerResponse): void {
  if (response.headersSent) return;
  response.setHeader('Connection', 'close');
  endPipeline(response);
}

/** Must be called for an answer that closes the connection. Requests after its own are not carried out. */
export function endPipeline(response: ServerResponse): void {
  const pipeline = pipelineOn(response.req.socket);
  pipeline.last = Math.min(pipeline.last, (response as Placed)[PLACE] ?? pipeline.joined);
  pipeline.isRefusalDue = false;
}

/** Ignores all requests that arrive from now on. The newest answer, or an earlier one, closes the connection. */
export function closePipeline(socket: Duplex): void {
  const pipeline = pipelineOn(socket);
  pipeline.last = Math.min(pipeline.last, pipeline.joined);
}

/**
 * Closes the pipeline because of bytes that are no request. An Error for them is due, unless the answer to an earlier
 * request closes the connection (RFC 9112 §9.6).
 */
export function refuseBehindPipeline(socket: Duplex): void {
  const pipeline = pipelineOn(socket);
  pipeline.isRefusalDue = pipeline.joined < pipeline.last;
  closePipeline(socket);
}

export function isRefusalDue(socket: Duplex): boolean {
  return pipelines.get(socket)?.isRefusalDue === true;
}

/** Whether an earlier answer closes the connection. That may be decided after this request has joined. */
export function isBehindTheLast(response: ServerResponse): boolean {
  return ((response as Placed)[PLACE] ?? 0) > pipelineOn(response.req.socket).last;
}

function pipelineOn(socket: Duplex): Pipeline {
  return getOrInsert(pipelines, socket, () => ({ ...EMPTY }));
}

/** Detaches Node's HTTP parser from the connection. All later bytes are dropped. */
function stopParsing(socket: Socket): void {
  socket.removeAllListeners('data').on('data', () => undefined);
}

const closing = new WeakSet<Duplex>();

/** Whether the last answer of this connection was written. Later bytes are dropped. */
export function isClosing(socket: Duplex): boolean {
  return closing.has(socket);
}

/**
 * Closes a connection when its client has closed it, or has had LINGER_MS to read the last answer. Closing while the
 * client still sends would reset the connection, and the client would lose the answers that it has not read (RFC 9112
 * §9.6).
 */
export function closeAfterReading(socket: Socket): void {
  if (closing.has(socket)) return;
  closing.add(socket);
  const close = (): void => Socket.prototype.destroySoon.call(socket);
  if (socket.readableEnded || socket.destroyed) return close();
  stopParsing(socket);
  socket.removeAllListeners('end').once('end', close).resume();
  socket.once('finish', () => {
    const late = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(late));
  });
  socket.end();
}

/**
 * The classes of requests and responses. All requests after the last answered one of a connection share one object.
 * Otherwise Node would keep each of them until the connection is closed. A packet holds about two thousand of 1.6 KB
 * each, so 200 connections that nobody reads would take half a gigabyte.
 */
export function sharedBehindTheLast({
  IncomingMessage: Request = IncomingMessage,
  ServerResponse: Response = ServerResponse,
}: Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>): ServerOptions {
  const unansweredOf = new WeakMap<Duplex, IncomingMessage>();
  const responseOf = new WeakMap<IncomingMessage, ServerResponse>();

  class Unanswered extends Request {
    /** Drops the body. */
    override push(): boolean {
      return true;
    }
  }

  class NoResponse extends Response {
    /** Ignores Node's listeners for the end of each response, which never comes. */
    override on(): this {
      return this;
    }
  }

  /** Stops the parser after this packet. Otherwise Node would keep an entry for each request of later packets. */
  const unanswered = (socket: Socket): Unanswered => {
    // The parser is still reading the packet.
    process.nextTick(() => stopParsing(socket));
    return new Unanswered(socket);
  };

  return {
    IncomingMessage: class extends Request {
      constructor(socket: Socket) {
        const { joined, last } = pipelineOn(socket);
        if (joined < last) super(socket);
        else return getOrInsert(unansweredOf, socket, () => unanswered(socket));
      }
    },
    ServerResponse: class extends Response {
      constructor(...options: ConstructorParameters<typeof ServerResponse>) {
        const [request] = options;
        if (!(request instanceof Unanswered)) super(...options);
        else return getOrInsert(responseOf, request, () => new NoResponse(...options));
      }
    } as typeof ServerResponse,
  };
}

function getOrInsert<Key extends object, Value>(map: WeakMap<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}
