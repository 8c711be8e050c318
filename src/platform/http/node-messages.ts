import type { ServerResponse } from 'node:http';

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
