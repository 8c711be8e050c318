import { IncomingMessage, ServerResponse, type ServerOptions } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Requests that may wait on one connection. No client that people use sends the next before it has the answer. */
export const LONGEST_PIPELINE = 32;

/** Milliseconds that a client has to read the last answer and to close. */
const LINGER_MS = 1000;

interface Pipeline {
  /** Requests that have no answer yet. */
  waiting: number;
  /** Requests that came so far. */
  joined: number;
  /** The answer to the request that came last. */
  newest: ServerResponse | undefined;
  /** The place of the last request that is answered, since its answer closes the connection; Infinity where none is known. */
  last: number;
  /** Whether an Error follows the answer to the request that came last, for bytes behind it that are no request. */
  isRefusalDue: boolean;
}

const EMPTY: Pipeline = { waiting: 0, joined: 0, newest: undefined, last: Infinity, isRefusalDue: false };
const PLACE = Symbol('animal-store:place');
const pipelines = new WeakMap<Duplex, Pipeline>();

/** A response that joined: which of its connection's it is, from 1 on. */
type Placed = ServerResponse & { [PLACE]?: number };

/**
 * Puts a request into the row of those on its connection that have no answer yet. Node takes as many as a packet holds,
 * some two thousand, one after another, before it looks at any other connection.
 *
 * @returns whether it is to be answered. Behind the last that is, the connection closes, and nothing is carried out
 *   (RFC 9112 §9.6); a client sends the others again (§9.3.2).
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
/** Responses to requests that wait for their turn. */
const behind = new WeakSet<ServerResponse>();

/**
 * Begins the work on a request at once or, where it or the one before it changes something, when that one is answered: only
 * safe requests of a connection may be worked on side by side (RFC 9112 §9.3.2), so that a GET sees what a POST before it
 * made.
 *
 * @param before the answer to the last request that joined before it, as `newestOn` gave it.
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

/** To be called once a response that joined is closed. */
export function leavePipeline({ req: { socket } }: ServerResponse): void {
  pipelineOn(socket).waiting -= 1;
}

/** The answer to the last request that joined, to which a fault behind it belongs; undefined where none did. */
export function newestOn(socket: Duplex): ServerResponse | undefined {
  return pipelines.get(socket)?.newest;
}

/** Makes this answer the last one of its connection, where it is not on its way already. */
export function closeAfter(response: ServerResponse): void {
  if (response.headersSent) return;
  response.setHeader('Connection', 'close');
  endPipeline(response);
}

/** This answer closes the connection: no request that came behind its own is carried out from now on. */
export function endPipeline(response: ServerResponse): void {
  const pipeline = pipelineOn(response.req.socket);
  pipeline.last = Math.min(pipeline.last, (response as Placed)[PLACE] ?? pipeline.joined);
  pipeline.isRefusalDue = false;
}

/** No request that comes from now on is looked at: what was answered last closes the connection. */
export function closePipeline(socket: Duplex): void {
  const pipeline = pipelineOn(socket);
  pipeline.last = Math.min(pipeline.last, pipeline.joined);
}

/**
 * Closes the pipeline at bytes that are no request. An Error for them is due, unless the answer to a request before them
 * closes the connection (RFC 9112 §9.6).
 */
export function refuseBehindPipeline(socket: Duplex): void {
  const pipeline = pipelineOn(socket);
  pipeline.isRefusalDue = pipeline.joined < pipeline.last;
  closePipeline(socket);
}

export function isRefusalDue(socket: Duplex): boolean {
  return pipelines.get(socket)?.isRefusalDue === true;
}

/** Whether an answer before this one closes the connection, as was decided on after this request had joined. */
export function isBehindTheLast(response: ServerResponse): boolean {
  return ((response as Placed)[PLACE] ?? 0) > pipelineOn(response.req.socket).last;
}

function pipelineOn(socket: Duplex): Pipeline {
  return getOrInsert(pipelines, socket, () => ({ ...EMPTY }));
}

/** Takes the connection from Node's HTTP parser: what comes on it from now on is dropped. */
function stopParsing(socket: Socket): void {
  socket.removeAllListeners('data').on('data', () => undefined);
}

const closing = new WeakSet<Duplex>();

/** Whether this connection has had its last answer. Whatever comes on it is no request. */
export function isClosing(socket: Duplex): boolean {
  return closing.has(socket);
}

/**
 * Closes a connection once its client has closed, or has had the time to read the last answer. To close at once while the
 * client still sends would reset the connection, and the client would lose the answers that it has not read
 * (RFC 9112 §9.6).
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
 * The classes of requests and responses, such that all requests behind the last of a connection are one object. A packet
 * holds some two thousand, which Node keeps until the connection is closed: 1.6 KB each, so that 200 connections that
 * nobody reads would take half a gigabyte.
 */
export function sharedBehindTheLast({
  IncomingMessage: Request = IncomingMessage,
  ServerResponse: Response = ServerResponse,
}: Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>): ServerOptions {
  const unansweredOf = new WeakMap<Duplex, IncomingMessage>();
  const responseOf = new WeakMap<IncomingMessage, ServerResponse>();

  class Unanswered extends Request {
    /** Its body is dropped. */
    override push(): boolean {
      return true;
    }
  }

  class NoResponse extends Response {
    /** Node listens for the end of each, which never comes. */
    override on(): this {
      return this;
    }
  }

  /** What comes after its packet is read by no parser: Node would keep a place for each request of it. */
  const unanswered = (socket: Socket): Unanswered => {
    // The parser is at work on the packet now.
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
