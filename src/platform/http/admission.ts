import type { IncomingMessage } from 'node:http';
import { ApiError, coreErrors } from '../errors/index.js';

/** Bytes, contract "sizes". */
export const URL_LIMIT_BYTES = 8192;
export const HEADERS_LIMIT_BYTES = 16384;

/** What a request must be like before anything looks at it; the fault that it has, if any. */
export function admissionFault(request: IncomingMessage): ApiError | undefined {
  if ((request.url ?? '').length > URL_LIMIT_BYTES) return new ApiError(coreErrors.uriTooLong);
  if (headerBytes(request.rawHeaders) > HEADERS_LIMIT_BYTES) return new ApiError(coreErrors.headersTooLarge);
  // Node takes a bare `GET /path` for HTTP/0.9.
  if (request.httpVersionMajor !== 1) return new ApiError(coreErrors.badRequest, 'Speak HTTP/1.1 here, or HTTP/1.0.');
  // RFC 9112 §3.2: an HTTP/1.1 request has exactly one Host. Node checks it too, but answers without a body.
  const hosts = request.headersDistinct.host?.length ?? 0;
  if (hosts > 1 || (hosts === 0 && request.httpVersion === '1.1')) {
    return new ApiError(coreErrors.badRequest, 'An HTTP/1.1 request has exactly one Host header.');
  }
  if ((request.url ?? '').includes('#')) {
    return new ApiError(coreErrors.badRequest, 'A request has no fragment (RFC 9112, section 3.2).');
  }
  if (hasStrangeFraming(request)) {
    return new ApiError(coreErrors.badRequest, 'chunked is the only transfer coding here, and HTTP/1.1 has it alone.');
  }
  return undefined;
}

/** RFC 9112 §6.1: a proxy that reads another coding, or HTTP/1.0, otherwise than Node does would see other requests. */
function hasStrangeFraming({ headers, httpVersion }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding'];
  return coding !== undefined && (coding.toLowerCase() !== 'chunked' || httpVersion !== '1.1');
}

function headerBytes(rawHeaders: readonly string[]): number {
  let bytes = 0;
  // ': ' and CRLF make two bytes more for each of a name and a value.
  for (const text of rawHeaders) bytes += text.length + 2;
  return bytes;
}
