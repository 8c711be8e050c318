import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Config } from '../config/index.js';
import { HEADERS_LIMIT_BYTES, URL_LIMIT_BYTES } from './admission.js';
import { refuseConnection, type RefusalHandlers } from './client-fault.js';
import { closeAfterReading } from './lingering-close.js';
import { closeAfter, isRefusalDue, joinPipeline, leavePipeline, newestOn, sharedBehindTheLast } from './pipeline.js';

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

/** Makes an HTTP server with the limits of this service: of heads, of time, and of requests behind one another. */
export function createHttpServer(http: Config['http'], handlers: RequestHandlers, messages: ServerOptions): Server {
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
