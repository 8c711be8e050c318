import { Refusal } from '../../auth/index.js';
import { nextLink } from '../../pagination/index.js';
import type { Announcement, PublicUrls, Route } from '../../routing/index.js';

/** The headers whose value is the operation's own. */
export type OperationHeader = 'Link' | 'Location' | 'Deprecation' | 'Sunset' | 'WWW-Authenticate';

/** What the examples are made of. */
export interface HeaderSource {
  readonly routes: readonly Route[];
  /** The addresses of the first of the servers. */
  readonly urls: PublicUrls;
  /** What the answers of a deprecated route say of that. */
  readonly announcementOf: (route: Route) => Announcement | undefined;
}

/** A cursor of the page behind the item 7. */
const CURSOR = 'MTo3Og';

/** The name in `components/headers` of a header of an operation's answer. */
export function componentOf(name: string, { operationId }: Route, status: number): string {
  // The challenge to who has no key says nothing of the operation.
  const own = name === 'WWW-Authenticate' ? status === 403 : /^(Link|Location|Deprecation|Sunset)$/.test(name);
  return own ? `${name}-${operationId}` : name;
}

/** `components/headers`: those of one operation, each with what it really sends as its example. */
export function operationHeaders(route: Route, source: HeaderSource): Record<string, object> {
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

/** A header object whose value is text. */
export function textHeader(description: string, example: string, pattern?: string): object {
  return { description, schema: { type: 'string', ...(pattern && { pattern }) }, example };
}

function challengeOf({ scopes }: Route): string | undefined {
  return Refusal.lacking(scopes, '').error.headers['WWW-Authenticate'];
}

/** A path as a client has it. */
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
