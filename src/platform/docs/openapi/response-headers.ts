import type { Route } from '../../routing/index.js';
import { componentOf, type OperationHeader, textHeader } from './operation-headers.js';

/** A header that is always there where it is declared. */
const always = <T extends object>(header: T): T & { required: true } => ({ ...header, required: true });

/** `components/headers`: those that are the same whatever the operation is; `operationHeaders` has the others. */
export const responseHeaders = {
  'X-Request-Id': always(
    textHeader(
      "Names the request in the service's logs: the one that was sent, if it was well formed, else a new UUIDv7.",
      '019ac1f0-6b7a-7c3e-9d52-0c1c6f0a4e11',
      '^[A-Za-z0-9._-]{1,128}$',
    ),
  ),
  'X-Content-Type-Options': always(textHeader('An answer is what its `Content-Type` says.', 'nosniff', '^nosniff$')),
  'Cache-Control': always({
    description: '`private, no-cache` for what may be kept and revalidated, else `no-store`.',
    schema: { type: 'string' },
    examples: { kept: { value: 'private, no-cache' }, 'not-kept': { value: 'no-store' } },
  }),
  ETag: always(
    textHeader(
      'A strong entity tag over the body and `Link`, for `If-None-Match`.',
      '"0s2eRRk2hE6GdGo3rSk8RWhOjAo"',
      '^"[^"]*"$',
    ),
  ),
  Vary: always(textHeader('What else the answer depends on.', 'Authorization')),
  'Idempotent-Replayed': textHeader(
    '`true` when this is the answer to an earlier request with the same `Idempotency-Key`.',
    'true',
    '^true$',
  ),
  'RateLimit-Policy': textHeader(
    'The quota `q` in a window of `w` seconds. Absent where limits are off.',
    '"default";q=6000;w=60',
  ),
  RateLimit: textHeader(
    '`r`: requests left; `t`: seconds until the window ends. Absent where limits are off.',
    '"default";r=5999;t=60',
  ),
  'Retry-After': always({
    description: 'Seconds to wait before trying again.',
    schema: { type: 'integer', minimum: 0 },
    example: 2,
  }),
  'WWW-Authenticate': always(textHeader('The challenge of RFC 6750.', 'Bearer realm="animal-store"', '^Bearer ')),
};

type HeaderName = keyof typeof responseHeaders | OperationHeader;

/** Statuses of answers that are sent before a key was accepted. */
const uncounted = new Set([401, 414, 431]);
const retried = new Set([409, 429, 503]);

type Condition = (route: Route, status: number) => boolean | undefined;

const everywhere: Condition = () => true;
const validated: Condition = (route, status) => route.method === 'GET' && status < 400;
const deprecated: Condition = (route) => route.deprecated !== undefined;
/** A body that is late is read after the key was accepted, a head that is late before. */
const late: Condition = (route, status) => status === 408 && route.bodyType === undefined;
const counted: Condition = (route, status) => !route.open && !uncounted.has(status) && !late(route, status);

/** When an answer may carry each header. */
const conditions: Readonly<Record<HeaderName, Condition>> = {
  'X-Request-Id': everywhere,
  'X-Content-Type-Options': everywhere,
  'Cache-Control': everywhere,
  ETag: validated,
  Vary: validated,
  Link: (route, status) => route.deprecated !== undefined || (route.paginated === true && status < 400),
  Location: (route, status) => route.located !== undefined && status === 201,
  'Idempotent-Replayed': (route, status) => route.idempotent && status < 400,
  'RateLimit-Policy': counted,
  RateLimit: counted,
  'Retry-After': (_route, status) => retried.has(status),
  'WWW-Authenticate': (route, status) => status === 401 || (status === 403 && route.scopes.length > 0),
  Deprecation: deprecated,
  Sunset: deprecated,
};

/** The headers that a route's answer with this status may carry, each a reference into the components. */
export function headersOf(route: Route, status: number): Record<string, { $ref: string }> {
  const names = Object.entries(conditions).filter(([, holds]) => holds(route, status));
  return Object.fromEntries(
    names.map(([name]) => [name, { $ref: `#/components/headers/${componentOf(name, route, status)}` }]),
  );
}
