import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApiError, coreErrors } from '../errors/index.js';
import { errorBody, JSON_TYPE } from './answer.js';
import {
  closeAfterReading,
  closePipeline,
  isClosing,
  isRefusalDue,
  newestOn,
  refuseBehindPipeline,
} from './connection.js';
import { newRequestId } from './exchange.js';

/** Bytes, contract "sizes". */
export const URL_LIMIT_BYTES = 8192;
export const HEADERS_LIMIT_BYTES = 16384;

/** The fault for which a request is refused before anything else reads it; undefined if it has none. */
export function admissionFault(request: IncomingMessage): ApiError | undefined {
  const url = request.url ?? '';
  const tooLarge = sizeFault(request);
  if (tooLarge !== undefined) return tooLarge;
  // Node parses a bare `GET /path` as HTTP/0.9.
  if (request.httpVersionMajor !== 1) return malformed('Speak HTTP/1.1 here, or HTTP/1.0.');
  // Node's own check of Host is off, because it answers without a body.
  if (hasStrangeHost(request))
    return malformed('An HTTP/1.1 request has exactly one Host header, a host and its port.');
  if (url.includes('#')) return malformed('A request has no fragment (RFC 9112, section 3.2).');
  if (request.method === 'CONNECT') return malformed('There are no tunnels here (RFC 9110, section 9.3.6).');
  if (hasStrangeFraming(request)) {
    return malformed('chunked is the only transfer coding here, and HTTP/1.1 has it alone.');
  }
  return undefined;
}

/** The error for a URL or headers that are too long, else undefined. */
export function sizeFault({ url, rawHeaders }: IncomingMessage): ApiError | undefined {
  if (url !== undefined && url.length > URL_LIMIT_BYTES) return new ApiError(coreErrors.uriTooLong);
  if (headerBytes(rawHeaders) > HEADERS_LIMIT_BYTES) return new ApiError(coreErrors.headersTooLarge);
  return undefined;
}

const malformed = (message: string): ApiError => new ApiError(coreErrors.badRequest, message);

/** RFC 3986 §3.2.2 and §3.2.3: an address in brackets or a name, and an optional port. The name may be empty. */
const HOST = /^(?:\[[\w:.%~-]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/;

/** RFC 9112 §3.2: exactly one Host header. HTTP/1.0 may omit it. */
function hasStrangeHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  const [host, ...others] = headerValues(rawHeaders, 'host');
  if (host === undefined) return httpVersion === '1.1';
  return others.length > 0 || !HOST.test(host);
}

/**
 * RFC 9112 §6.1: a proxy may read another coding, or any coding in HTTP/1.0, differently from Node, and see other
 * requests.
 */
function hasStrangeFraming({ headers, httpVersion }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding'];
  return coding !== undefined && (coding.toLowerCase() !== 'chunked' || httpVersion !== '1.1');
}

function headerBytes(rawHeaders: readonly string[]): number {
  let bytes = 0;
  // `: ` and CRLF add two bytes to each name and each value.
  for (const text of rawHeaders) bytes += text.length + 2;
  return bytes;
}

/**
 * All values of a header, in the order in which they were sent. `headers` drops the second value of some names, which a
 * proxy may use. `headersDistinct` creates lists of the values of all headers.
 *
 * @param rawHeaders names and values in turn, as from Node.
 * @param name in lower case.
 */
export function headerValues(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at] as string;
    if (sent.length === name.length && sent.toLowerCase() === name) values.push(rawHeaders[at + 1] as string);
  }
  return values;
}

/**
 * The error for bytes that Node's HTTP parser could not read.
 *
 * @param hasHead whether the fault is in the body or the trailers of a request, so after its URL.
 */
function clientFault(error: NodeJS.ErrnoException & { rawPacket?: Buffer }, hasHead: boolean): ApiError {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError(coreErrors.requestTimeout);
    case 'HPE_HEADER_OVERFLOW':
      if (!hasHead && beginsWithLongUrl(error.rawPacket)) return new ApiError(coreErrors.uriTooLong);
      return new ApiError(coreErrors.headersTooLarge);
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new ApiError(coreErrors.payloadTooLarge);
    default:
      return new ApiError(coreErrors.badRequest);
  }
}

const refused = new WeakSet<Duplex>();

export interface RefusalHandlers {
  /** Answers a request whose body is malformed or arrives too slowly. */
  readonly refuse: (response: ServerResponse, fault: ApiError) => void;
  /** Called for a connection that is refused without a request. */
  readonly refused: (reason: string) => void;
}

/**
 * Answers a connection whose bytes are no complete request, and closes it (contract, "below the framework"). Each
 * request has at most one answer, in its turn. A fault in a body that is still arriving is the answer to its request. A
 * fault after a complete request waits until that request is answered.
 */
export function refuseConnection(
  error: NodeJS.ErrnoException & { rawPacket?: Buffer },
  socket: Duplex,
  { refuse: refuseRequest, refused: count }: RefusalHandlers,
): void {
  // Node also reports every later packet.
  if (refused.has(socket) || isClosing(socket)) return;
  refused.add(socket);
  const response = newestOn(socket);
  const isBehind = response?.req.complete !== false;
  const fault = clientFault(error, !isBehind);
  if (isBehind) refuseBehindPipeline(socket);
  else closePipeline(socket);
  const refuse = (): void => {
    if (!isRefusalDue(socket)) return;
    count(fault.code);
    writeRefusal(fault, socket);
  };
  if (error.code === 'ECONNRESET') socket.destroy();
  else if (response === undefined) refuse();
  else if (isBehind) onceClosed(response, refuse);
  // A request that is answered already gets no second answer. Earlier answers may still be on their way, and the client
  // may read late.
  else if (response.headersSent) onceClosed(response, () => closeAfterReading(socket as Socket));
  else refuseRequest(response, fault);
}

function onceClosed(response: ServerResponse, then: () => void): void {
  if (response.closed) then();
  else response.once('close', then);
}

function writeRefusal(fault: ApiError, socket: Duplex): void {
  if (isClosing(socket)) return;
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = errorBody(fault);
  const head = [
    `HTTP/1.1 ${fault.status} ${STATUS_CODES[fault.status] ?? 'Error'}`,
    `Date: ${new Date().toUTCString()}`,
    `X-Request-Id: ${newRequestId()}`,
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    `Content-Type: ${JSON_TYPE}`,
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`, 'latin1');
  closeAfterReading(socket as Socket);
}

function beginsWithLongUrl(packet: Buffer | undefined): boolean {
  if (packet === undefined) return false;
  const end = packet.indexOf('\n');
  return /^[A-Z]+ /.test(packet.subarray(0, 16).toString('latin1')) && (end < 0 || end > URL_LIMIT_BYTES);
}
