import type { Route } from '../../routing/index.js';

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
