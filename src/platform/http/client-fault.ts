import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApiError, coreErrors } from '../errors/index.js';
import { URL_LIMIT_BYTES } from './admission.js';
import { errorBody, JSON_TYPE } from './answer.js';
import { newRequestId } from './exchange.js';
import { closeAfterReading, isClosing } from './lingering-close.js';
import { closePipeline, isRefusalDue, newestOn, refuseBehindPipeline } from './pipeline.js';

/**
 * The error for what Node's HTTP parser could not take.
 *
 * @param hasHead whether it is in the body or the trailers of a request, behind its URL.
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
  /** Answers a request whose body turned out to be none, or to come too slowly. */
  readonly refuse: (response: ServerResponse, fault: ApiError) => void;
  /** Called for a connection that is refused without a request. */
  readonly refused: (reason: string) => void;
}

/**
 * Answers a connection whose bytes are not a request, or not the whole of one, and closes it (contract, "below the
 * framework"). Each request has one answer at most, in its turn: what is wrong in a body that is still arriving is the
 * answer to its request, and what is wrong behind a request waits until that one is answered.
 */
export function refuseConnection(
  error: NodeJS.ErrnoException & { rawPacket?: Buffer },
  socket: Duplex,
  { refuse: refuseRequest, refused: count }: RefusalHandlers,
): void {
  // Node reports every packet that follows too.
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
  // Answered already: nothing more is said of it, but those before it may still be on their way, and the client read late.
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
