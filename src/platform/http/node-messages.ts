import type { IncomingMessage, ServerResponse } from 'node:http';

/** What Node reads off a head as it writes it. */
interface WrittenHead {
  /** False for HEAD, 204 and 304. */
  readonly _hasBody: boolean;
  /** What Content-Length says, be it a handler's or Node's own; null where there is none. */
  readonly _contentLength: number | null;
}

/** Bytes of a response's body, whoever made it; undefined where its head does not say, as that of a stream. */
export function bodyBytes(response: ServerResponse): number | undefined {
  const { _hasBody, _contentLength: length } = response as unknown as WrittenHead;
  if (!response.headersSent || !_hasBody) return 0;
  // Node takes any text for a length.
  return length !== null && Number.isInteger(length) ? length : undefined;
}

/** Node's own, for the option `optimizeEmptyRequests` of its server, from 24.12 on. */
interface Closeable {
  _dumpAndCloseReadable?(): void;
}

/**
 * Closes the stream of a request that has no body, and that nobody will look at: Node would read it to its end and close
 * it, in several turns of its queue, once the answer is sent. The option does it to every request, also to those whose
 * handler waits for `end` or `close` (docs/decisions/0021-requests-of-a-turn-together.md).
 */
export function closeIfEmpty(request: IncomingMessage & Closeable): void {
  const { headers } = request;
  if (!request.complete || headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined)
    return;
  request._dumpAndCloseReadable?.();
}
