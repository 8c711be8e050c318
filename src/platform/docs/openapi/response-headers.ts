import type { Route } from '../../routing/index.js';

const text = (description: string, example: string, pattern?: string): object => ({
  description,
  schema: { type: 'string', ...(pattern && { pattern }) },
  example,
});

/** Never absent where it is declared. */
const always = <T extends object>(header: T): T & { required: true } => ({ ...header, required: true });

/** `components/headers`: every header that an answer may carry beside its media type and length. */
export const responseHeaders = {
  'X-Request-Id': always(
    text(
      "Names the request in the service's logs: the one that was sent, if it was well formed, else a new UUIDv7.",
      '019ac1f0-6b7a-7c3e-9d52-0c1c6f0a4e11',
      '^[A-Za-z0-9._-]{1,128}$',
    ),
  ),
  'Cache-Control': always(
    text('`private, no-cache` for what may be kept and revalidated, else `no-store`.', 'no-store'),
  ),
  ETag: always(
    text(
      'A strong entity tag over the body and `Link`, for `If-None-Match`.',
      '"0s2eRRk2hE6GdGo3rSk8RWhOjAo"',
      '^"[^"]*"$',
    ),
  ),
  Vary: always(text('What else the answer depends on.', 'Authorization')),
  Link: text(
    'RFC 8288. `rel="next"`: the next page, absent on the last one; `rel="deprecation"` and `rel="successor-version"`: of a deprecated operation.',
    '<https://animal-store.example/v1/pets?limit=2&cursor=MTo3Og>; rel="next"',
  ),
  Location: text('Where what was made can be fetched.', 'https://animal-store.example/v1/pets/1'),
  'Idempotent-Replayed': text(
    '`true` when this is the answer to an earlier request with the same `Idempotency-Key`.',
    'true',
    '^true$',
  ),
  'RateLimit-Policy': text(
    'The quota `q` in a window of `w` seconds. Absent where limits are off.',
    '"default";q=6000;w=60',
  ),
  RateLimit: text(
    '`r`: requests left; `t`: seconds until the window ends. Absent where limits are off.',
    '"default";r=5999;t=60',
  ),
  'Retry-After': always({
    description: 'Seconds to wait before trying again.',
    schema: { type: 'integer', minimum: 0 },
    example: 2,
  }),
  'WWW-Authenticate': always(text('The challenge of RFC 6750.', 'Bearer realm="animal-store"', '^Bearer ')),
  Deprecation: text('Since when the operation is deprecated (RFC 9745).', '@1764892800', '^@[0-9]+$'),
  Sunset: text('When the operation is removed (RFC 8594).', 'Thu, 05 Dec 2030 00:00:00 GMT'),
};

type HeaderName = keyof typeof responseHeaders;

/** Answered before there is an accepted key. */
const uncounted = new Set([401, 414, 431]);
const retried = new Set([409, 429, 503]);
const challenged = new Set([401, 403]);

type Condition = (route: Route, status: number) => boolean | undefined;

const everywhere: Condition = () => true;
const validated: Condition = (route, status) => route.method === 'GET' && status < 400;
const deprecated: Condition = (route) => route.deprecated !== undefined;
/** What is late is a body, which is read after that check, or the head, which is read before. */
const late: Condition = (route, status) => status === 408 && route.bodyType === undefined;
const counted: Condition = (route, status) => !route.open && !uncounted.has(status) && !late(route, status);

/** When an answer may carry each header. */
const conditions: Readonly<Record<HeaderName, Condition>> = {
  'X-Request-Id': everywhere,
  'Cache-Control': everywhere,
  ETag: validated,
  Vary: validated,
  Link: (route, status) => route.deprecated !== undefined || (route.paginated === true && status < 400),
  Location: (route, status) => route.located !== undefined && status === 201,
  'Idempotent-Replayed': (route, status) => route.idempotent && status < 400,
  'RateLimit-Policy': counted,
  RateLimit: counted,
  'Retry-After': (_route, status) => retried.has(status),
  'WWW-Authenticate': (_route, status) => challenged.has(status),
  Deprecation: deprecated,
  Sunset: deprecated,
};

/** The headers that a route's answer with this status may carry, each a reference into the components. */
export function headersOf(route: Route, status: number): Record<string, { $ref: string }> {
  const names = Object.entries(conditions).filter(([, holds]) => holds(route, status));
  return Object.fromEntries(names.map(([name]) => [name, { $ref: `#/components/headers/${name}` }]));
}
