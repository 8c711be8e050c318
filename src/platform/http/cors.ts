import cors from 'cors';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Seconds that a browser may remember what it asked for beforehand. */
const PREFLIGHT_SECONDS = 600;

/** Response headers that a page of another origin may read: all that the contract puts on an answer. */
const EXPOSED =
  'Allow,Deprecation,ETag,Idempotent-Replayed,Link,Location,RateLimit,RateLimit-Policy,Retry-After,Sunset,' +
  'WWW-Authenticate,X-Request-Id';

/**
 * Sets the CORS headers of every answer where CORS_ORIGINS is set: without them a page reads
 * no refusal either, nor how long to wait. Keys come in a header that a page must know and set itself, so cookies are not
 * asked for, and any request header may be sent.
 *
 * @returns undefined where there are no origins.
 */
export function crossOrigin(
  origins: readonly string[],
): ((request: IncomingMessage, response: ServerResponse) => void) | undefined {
  if (origins.length === 0) return undefined;
  // The request goes on to the answer for OPTIONS, which says what is allowed at the path.
  const handle = cors({
    origin: [...origins],
    exposedHeaders: EXPOSED,
    maxAge: PREFLIGHT_SECONDS,
    preflightContinue: true,
  });
  return (request, response) => handle(request, response, () => undefined);
}
