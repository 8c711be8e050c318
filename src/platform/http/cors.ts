import type { CorsOptions } from '@nestjs/common/interfaces/external/cors-options.interface.js';

/** Seconds that a browser may remember what it asked for beforehand. */
const PREFLIGHT_SECONDS = 600;

/** Response headers that a page of another origin may read: all that the contract puts on an answer. */
const EXPOSED = [
  'Allow',
  'Deprecation',
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Sunset',
  'WWW-Authenticate',
  'X-Request-Id',
];

/**
 * What browsers are told where CORS_ORIGINS is set. Keys come in a header that a page must know and set itself, so
 * cookies are not asked for, and any request header may be sent.
 */
export function corsOptions(origins: readonly string[]): CorsOptions {
  // The request goes on to the answer for OPTIONS, which says what is allowed at the path.
  return { origin: [...origins], exposedHeaders: EXPOSED, maxAge: PREFLIGHT_SECONDS, preflightContinue: true };
}
