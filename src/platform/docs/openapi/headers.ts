import { Refusal } from '../../auth/index.js';
import { nextLink } from '../../pagination.js';
import type { Route } from '../../routing/index.js';
import type { DocumentSource } from '../document-source.js';

/** The headers whose value depends on the operation. */
type OperationHeader = 'Link' | 'Location' | 'Deprecation' | 'Sunset' | 'WWW-Authenticate';

/** An example cursor, for the page after item 7. */
const CURSOR = 'MTo3Og';

/** The name of a response header in `components/headers`. */
function componentOf(name: string, { operationId }: Route, status: number): string {
  // Without a key, the challenge does not depend on the operation.
  const own = name === 'WWW-Authenticate' ? status === 403 : /^(Link|Location|Deprecation|Sunset)$/.test(name);
  return own ? `${name}-${operationId}` : name;
}

/**
 * The part of `components/headers` that depends on the operation. The example of each header is a value that it really
 * sends.
 */
export function operationHeaders(route: Route, source: DocumentSource): Record<string, object> {
  const { urls } = source;
  const { headers, links = [] } = source.announcementOf(route) ?? {};
  const next = route.paginated && nextLink(urls.of(filled(route.path)), new URLSearchParams({ limit: '2' }), CURSOR);
  const relations = [
    ...(next ? ['`rel="next"`: the next page, absent on the last one.'] : []),
    ...(headers
      ? ['`rel="deprecation"`: where the deprecation is explained; `rel="successor-version"`: what to use instead.']
      : []),
  ];
  const located = source.routes.find(({ operationId }) => operationId === route.located?.operationId);
  const all: Record<OperationHeader, object | undefined> = {
    Link: header(`RFC 8288. ${relations.join(' ')}`, [...(next ? [next] : []), ...links].join(', ')),
    Location: header('Where what was made can be fetched.', located && urls.of(filled(located.path))),
    Deprecation: header('Since when the operation is deprecated (RFC 9745).', headers?.['Deprecation'], '^@[0-9]+$'),
    Sunset: header('When the operation is removed (RFC 8594).', headers?.['Sunset']),
    'WWW-Authenticate': {
      ...header('Names the scopes that are needed (RFC 6750).', challengeOf(route), '^Bearer '),
      required: true,
    },
  };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, it]) => (it ? [[`${name}-${route.operationId}`, it] as const] : [])),
  );
}

function header(description: string, example: string | undefined, pattern?: string): object | undefined {
  return example ? textHeader(description, example, pattern) : undefined;
}

function textHeader(description: string, example: string, pattern?: string): object {
  return { description, schema: { type: 'string', ...(pattern && { pattern }) }, example };
}

function challengeOf({ scopes }: Route): string | undefined {
  return Refusal.lacking(scopes, '').error.headers['WWW-Authenticate'];
}

/** The path with example ids in place of its parameters. */
function filled(path: string): string {
  return path.replace(/\{\w+\}/g, '1');
}

/** `components/parameters`: the request headers that the platform understands. */
export const requestHeaders = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Makes a repeat of this request safe: within 24 hours, unless the server keeps answers for another time, the same key and body get the same answer, and nothing is made twice. 1 to 255 visible ASCII characters, bare or in double quotes.',
    schema: { type: 'string', pattern: '^("[!#-~]{1,255}"|[!#-~][!-~]{0,254})$' },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'The `ETag` of an earlier answer; where nothing changed since, the answer is 304 without a body.',
    schema: { type: 'string' },
  },
};

export function requestHeadersOf(route: Route): { $ref: string }[] {
  const names: (keyof typeof requestHeaders)[] = [];
  if (route.idempotent) names.push('IdempotencyKey');
  if (route.method === 'GET') names.push('IfNoneMatch');
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

/** Marks a header as required: each response that declares it also sends it. */
const always = <T extends object>(header: T): T & { required: true } => ({ ...header, required: true });

/** The part of `components/headers` that is the same for every operation. `operationHeaders` has the rest. */
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

/** Statuses of responses that are sent before the key is accepted. */
const uncounted = new Set([401, 414, 431]);
const retried = new Set([409, 429, 503]);

type Condition = (route: Route, status: number) => boolean | undefined;

const everywhere: Condition = () => true;
const validated: Condition = (route, status) => route.method === 'GET' && status < 400;
const deprecated: Condition = (route) => route.deprecated !== undefined;
/** A 408 for a slow body comes after the key is accepted, a 408 for a slow request head before that. */
const late: Condition = (route, status) => status === 408 && route.bodyType === undefined;
const counted: Condition = (route, status) => !route.open && !uncounted.has(status) && !late(route, status);

/** The responses that may carry each header. */
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

/** The headers that a route's response with this status may carry, as references into the components. */
export function headersOf(route: Route, status: number): Record<string, { $ref: string }> {
  const names = Object.entries(conditions).filter(([, holds]) => holds(route, status));
  return Object.fromEntries(
    names.map(([name]) => [name, { $ref: `#/components/headers/${componentOf(name, route, status)}` }]),
  );
}
