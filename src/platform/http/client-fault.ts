import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { v7 as uuidv7 } from 'uuid';
import { ApiError, coreErrors } from '../errors/index.js';
import { URL_LIMIT_BYTES } from './admission.js';
import { errorBody, JSON_TYPE } from './answer.js';

/** What Node's HTTP parser could not take, as the Error that the client is told. */
export function clientFault(error: NodeJS.ErrnoException & { rawPacket?: Buffer }): ApiError {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError(coreErrors.requestTimeout);
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError(beginsWithLongUrl(error.rawPacket) ? coreErrors.uriTooLong : coreErrors.headersTooLarge);
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new ApiError(coreErrors.payloadTooLarge);
    default:
      return new ApiError(coreErrors.badRequest);
  }
}

/**
 * Answers a connection whose bytes are not a request that could be answered otherwise, and closes it (contract, "below
 * the framework"). Nothing is written where an answer has begun: two answers to one request would be worse than none.
 */
export function refuseConnection(error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket: Socket): void {
  const answering = (socket as Socket & { _httpMessage?: { headersSent: boolean } })._httpMessage;
  if (error.code === 'ECONNRESET' || !socket.writable || answering?.headersSent === true) {
    socket.destroy();
    return;
  }
  const fault = clientFault(error);
  const body = errorBody(fault);
  const head = [
    `HTTP/1.1 ${fault.status} ${STATUS_CODES[fault.status] ?? 'Error'}`,
    `Date: ${new Date().toUTCString()}`,
    `X-Request-Id: ${uuidv7()}`,
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    `Content-Type: ${JSON_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

function beginsWithLongUrl(packet: Buffer | undefined): boolean {
  if (packet === undefined) return false;
  const end = packet.indexOf('\n');
  return /^[A-Z]+ /.test(packet.subarray(0, 16).toString('latin1')) && (end < 0 || end > URL_LIMIT_BYTES);
}
