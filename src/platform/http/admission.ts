import type { IncomingMessage } from 'node:http';
import { ApiError, coreErrors } from '../errors/index.js';

/** Bytes, contract "sizes". */
export const URL_LIMIT_BYTES = 8192;
export const HEADERS_LIMIT_BYTES = 16384;

/** What a request must be like before anything looks at it; the fault that it has, if any. */
export function admissionFault(request: IncomingMessage): ApiError | undefined {
  const url = request.url ?? '';
  const tooLarge = sizeFault(request);
  if (tooLarge !== undefined) return tooLarge;
  // Node takes a bare `GET /path` for HTTP/0.9.
  if (request.httpVersionMajor !== 1) return malformed('Speak HTTP/1.1 here, or HTTP/1.0.');
  // Node checks the Host too, but answers without a body.
  if (hasStrangeHost(request))
    return malformed('An HTTP/1.1 request has exactly one Host header, a host and its port.');
  if (url.includes('#')) return malformed('A request has no fragment (RFC 9112, section 3.2).');
  if (request.method === 'CONNECT') return malformed('There are no tunnels here (RFC 9110, section 9.3.6).');
  if (hasStrangeFraming(request)) {
    return malformed('chunked is the only transfer coding here, and HTTP/1.1 has it alone.');
  }
  return undefined;
}

/** The error for a URL or headers that are too long; undefined where they are not. */
export function sizeFault({ url, rawHeaders }: IncomingMessage): ApiError | undefined {
  if (url !== undefined && url.length > URL_LIMIT_BYTES) return new ApiError(coreErrors.uriTooLong);
  if (headerBytes(rawHeaders) > HEADERS_LIMIT_BYTES) return new ApiError(coreErrors.headersTooLarge);
  return undefined;
}

const malformed = (message: string): ApiError => new ApiError(coreErrors.badRequest, message);

/** RFC 3986 §3.2.2 and §3.2.3: an address in brackets or a name, which may be empty, and a port. */
const HOST = /^(?:\[[\w:.%~-]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/;

/** RFC 9112 §3.2: exactly one, which HTTP/1.0 may leave out. */
function hasStrangeHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  const [host, ...others] = headerValues(rawHeaders, 'host');
  if (host === undefined) return httpVersion === '1.1';
  return others.length > 0 || !HOST.test(host);
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

/**
 * Every value of a header that was sent, in order: `headers` has dropped the second of some names, which a proxy may go by,
 * and `headersDistinct` makes an object of lists of all of them.
 *
 * @param rawHeaders names and values in turn, as Node received them.
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
