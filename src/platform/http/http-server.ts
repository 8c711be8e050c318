import { createServer, IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Config } from '../config/index.js';
import { HEADERS_LIMIT_BYTES, refuseConnection, URL_LIMIT_BYTES, type RefusalHandlers } from './client-fault.js';
import {
  closeAfter,
  closeAfterReading,
  isRefusalDue,
  joinPipeline,
  leavePipeline,
  newestOn,
  sharedBehindTheLast,
} from './connection.js';

/** What a server does with its requests. */
export interface RequestHandlers extends RefusalHandlers {
  /** @param before the answer to the request before it on its connection; undefined for the first. */
  readonly receive: (request: IncomingMessage, response: ServerResponse, before: ServerResponse | undefined) => void;
  /** Called once a response is closed, in whichever way. */
  readonly closed: (response: ServerResponse) => void;
  /** Begins the work on all that came before bytes that are no request. */
  readonly flush?: () => void;
}

/** Undocumented in Node 24: without it, Node closes a connection whose client has sent all that it will send. */
type HalfOpenServer = Server & { httpAllowHalfOpen: boolean };

/** The classes of a server's own: they are changed. */
interface Messages {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse?: typeof ServerResponse;
}

/** Makes an HTTP server with the limits of this service: of heads, of time, and of requests behind one another. */
export function createHttpServer(
  http: Config['http'],
  handlers: RequestHandlers,
  messages: Messages = { IncomingMessage: class extends IncomingMessage {} },
): Server {
  ignoreUpgrades(messages.IncomingMessage);
  const server = createServer({
    ...messages,
    ...sharedBehindTheLast(messages),
    maxHeaderSize: URL_LIMIT_BYTES + HEADERS_LIMIT_BYTES + 1024,
    headersTimeout: http.headersTimeoutMs,
    requestTimeout: http.requestTimeoutMs,
    keepAliveTimeout: http.keepAliveTimeoutMs,
    connectionsCheckingInterval: 500,
    requireHostHeader: false,
  });
  // Any number: their bytes are what is bounded.
  server.maxHeadersCount = 0;
  // Nothing moves for longer than a request may take and its answer after it: the client does not read.
  server.timeout = http.requestTimeoutMs + http.requestDeadlineMs;
  (server as HalfOpenServer).httpAllowHalfOpen = true;
  server.on('connection', prepareConnection);
  const receive = (request: IncomingMessage, response: ServerResponse): void => {
    const before = newestOn(request.socket);
    if (!joinPipeline(response)) return;
    response.on('close', () => {
      leavePipeline(response);
      handlers.closed(response);
    });
    handlers.receive(request, response, before);
  };
  // RFC 9110 §10.1.1: a body that is announced is asked for when it is read, so after the key is accepted.
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, receive);
  server.on('clientError', (error, socket) => {
    refuseConnection(error, socket, handlers);
    handlers.flush?.();
  });
  return server;
}

function prepareConnection(socket: Socket): void {
  // Node takes the answer that is due as a client sends no more for the last one of its connection.
  socket.destroySoon = () => {
    if (!isRefusalDue(socket)) closeAfterReading(socket);
  };
  // RFC 9112 §9.6: a client that sends no more still reads. Nothing comes behind its last request, except an Error.
  socket.once('end', () => {
    const newest = newestOn(socket);
    if (newest !== undefined && !isRefusalDue(socket)) closeAfter(newest);
  });
}

/** Node's parser of a connection, as far as it is called here. Node documents nothing of it: it may be gone one day. */
interface Parser {
  readonly constructor: { readonly kOnExecute: number };
  /** The listener at `kOnExecute` is called for each packet with the number of bytes read, or with the error. */
  [event: number]: ((read: number | Error) => void) | undefined;
  execute(bytes: Buffer): number | Error;
  getCurrentBuffer(): Buffer;
}

/** The request of each connection after which the parser pauses next. */
const pauses = new WeakMap<Socket, IncomingMessage>();

/** Has the requests of a class never become another protocol, not by CONNECT either: their connection goes on with HTTP. */
function ignoreUpgrades(requests: typeof IncomingMessage): void {
  // Node's own: whether the connection is another protocol's from here on.
  Object.defineProperty(requests.prototype, 'upgrade', {
    get: () => false,
    set(this: IncomingMessage, isAskedFor: boolean | null) {
      if (isAskedFor === true) readOnBehind(this);
    },
  });
}

/**
 * Has the parser read on behind a request that names another protocol, which is ignored (RFC 9110 §7.8). llhttp pauses there,
 * since the other protocol could begin, and Node drops the rest of the packet though it takes no upgrade: what came in it
 * would be lost, or the second half of a request be read as one of its own. `shouldUpgradeCallback` of Node 24.9 changes nothing
 * of that: with or without it Node drops the rest of the packet. Nor does Node report what is wrong in its body, or
 * in the head behind it: it takes for the other protocol whatever the parser leaves unread.
 */
function readOnBehind(request: IncomingMessage): void {
  const { socket } = request;
  const isWatched = pauses.has(socket);
  pauses.set(socket, request);
  if (!isWatched) watch(socket);
}

function watch(socket: Socket): void {
  const { parser } = socket as unknown as { readonly parser: Parser | null };
  if (parser === null) return;
  const event = parser.constructor.kOnExecute;
  const report = parser[event];
  if (report === undefined) return;
  let isBehind: IncomingMessage | undefined;
  const listener = (result: number | Error): void => {
    let read = result;
    for (let bytes = parser.getCurrentBuffer(); !(read instanceof Error);) {
      const request = pauses.get(socket);
      const isPause = request?.complete === true && isBehind !== request;
      if (isPause) isBehind = request;
      bytes = bytes.subarray(read);
      if (bytes.length === 0) break;
      read = isPause ? parser.execute(bytes) : unreadable();
      // It ended the connection.
      if (parser[event] !== listener) return;
    }
    report(read);
  };
  parser[event] = listener;
}

const unreadable = (): Error => Object.assign(new Error('The parser stopped'), { code: 'HPE_INVALID' });
