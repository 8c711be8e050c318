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

/** The callbacks of a server. */
export interface RequestHandlers extends RefusalHandlers {
  /** @param before the response to the previous request on the connection; undefined for the first. */
  readonly receive: (request: IncomingMessage, response: ServerResponse, before: ServerResponse | undefined) => void;
  /** Called when a response is closed, whether or not it was sent. */
  readonly closed: (response: ServerResponse) => void;
  /** Begins the work on all requests that arrived before bytes that are no request. */
  readonly flush?: () => void;
}

/** Undocumented in Node 24. Without it Node closes a connection when the client ends its side. */
type HalfOpenServer = Server & { httpAllowHalfOpen: boolean };

/** The classes of requests and responses, for one server only: they are changed here. */
interface Messages {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse?: typeof ServerResponse;
}

/** The limit of Node's parser. The limits of the URL and of the headers are checked below it. */
const MOST_HEAD_BYTES = URL_LIMIT_BYTES + HEADERS_LIMIT_BYTES + 1024;

/** Creates an HTTP server with the limits of this service: for request heads, times and pipelined requests. */
export function createHttpServer(
  http: Config['http'],
  handlers: RequestHandlers,
  messages: Messages = { IncomingMessage: class extends IncomingMessage {} },
): Server {
  ignoreUpgrades(messages.IncomingMessage);
  const server = createServer({
    ...messages,
    ...sharedBehindTheLast(messages),
    maxHeaderSize: MOST_HEAD_BYTES,
    headersTimeout: http.headersTimeoutMs,
    requestTimeout: http.requestTimeoutMs,
    keepAliveTimeout: http.keepAliveTimeoutMs,
    connectionsCheckingInterval: 500,
    requireHostHeader: false,
  });
  // Headers are limited in bytes, not in number.
  server.maxHeadersCount = 0;
  // A socket is closed if it is idle for longer than a request and its answer may take: its client does not read.
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
  // RFC 9110 §10.1.1: status 100 is sent when the body is read, so after the key is accepted.
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, receive);
  server.on('clientError', (error, socket) => {
    refuseConnection(error, socket, handlers);
    handlers.flush?.();
  });
  return server;
}

function prepareConnection(socket: Socket): void {
  // When the client ends its side, Node takes the current answer for the last one of the connection, and calls this.
  socket.destroySoon = () => {
    if (!isRefusalDue(socket)) closeAfterReading(socket);
  };
  // RFC 9112 §9.6: a client that has ended its side still reads. Its newest request is the last one, but an Error may
  // follow.
  socket.once('end', () => {
    const newest = newestOn(socket);
    if (newest !== undefined && !isRefusalDue(socket)) closeAfter(newest);
  });
}

/** The part of Node's HTTP parser that is used here. Node does not document it and may remove it. */
interface Parser {
  readonly constructor: { readonly kOnExecute: number };
  /** The listener at `kOnExecute` is called for each packet with the number of bytes read, or with the error. */
  [event: number]: ((read: number | Error) => void) | undefined;
  execute(bytes: Buffer): number | Error;
  getCurrentBuffer(): Buffer;
}

/** For each connection, the request after which the parser pauses next. */
const pauses = new WeakMap<Socket, IncomingMessage>();

/**
 * Prevents requests of this class from switching to another protocol, also by CONNECT. Their connection continues with
 * HTTP.
 */
function ignoreUpgrades(requests: typeof IncomingMessage): void {
  // Node sets it to true if the request asks for another protocol.
  Object.defineProperty(requests.prototype, 'upgrade', {
    get: () => false,
    set(this: IncomingMessage, isAskedFor: boolean | null) {
      if (isAskedFor === true) readOnBehind(this);
    },
  });
}

/**
 * Makes the parser read on after a request that names another protocol, which is ignored (RFC 9110 §7.8). llhttp pauses
 * there, because the other protocol could begin. Node then drops the rest of the packet, although it takes no upgrade.
 * Requests in that packet would be lost, or the second half of one would be read as a request. `shouldUpgradeCallback`
 * of Node 24.9 changes nothing: with or without it Node drops the rest of the packet. Node also reports no fault in the
 * body of the request, or in the head after it. It takes all that the parser leaves unread for the other protocol.
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
  // The size of the incomplete head after `isBehind`. llhttp reports no error until that head is complete.
  let headBytes = 0;
  const isHeadOpen = (): boolean => isBehind !== undefined && newestOn(socket)?.req === isBehind;
  const listener = (result: number | Error): void => {
    let read = result;
    let bytes = parser.getCurrentBuffer();
    if (isHeadOpen()) headBytes += bytes.length;
    while (!(read instanceof Error)) {
      const request = pauses.get(socket);
      const isPause = request?.complete === true && isBehind !== request;
      bytes = bytes.subarray(read);
      if (isPause) [isBehind, headBytes] = [request, bytes.length];
      if (bytes.length === 0) break;
      read = isPause ? parser.execute(bytes) : unreadable(headBytes - bytes.length);
      // Reading these bytes has ended the connection.
      if (parser[event] !== listener) return;
    }
    report(isHeadOpen() && headBytes > MOST_HEAD_BYTES ? unreadable(headBytes) : read);
  };
  parser[event] = listener;
  // This listener must run before Node's, which may end the connection.
  socket.prependOnceListener('end', () => {
    if (isHeadOpen() && headBytes > 0) report(unreadable(headBytes));
  });
}

/** @param headBytes how many bytes of a head the parser has read. */
function unreadable(headBytes: number): Error {
  const code = headBytes > MOST_HEAD_BYTES ? 'HPE_HEADER_OVERFLOW' : 'HPE_INVALID';
  return Object.assign(new Error('The parser stopped'), { code });
}
