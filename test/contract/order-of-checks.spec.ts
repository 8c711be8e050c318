import { beforeAll, describe, expect, it } from '@jest/globals';
import { publicIdOf, storeKey } from '../support/api-keys.js';
import { onEachEngine } from '../support/engines.js';
import type { RawResponse } from '../support/raw-http.js';
import { type RawRequest, serveOn, SET_UP_LIMIT_MS } from '../support/served.js';

/** The limit per client and minute. No other key of the tests comes near it. */
const LIMIT = 120;
const VALID = '{"name":"Rex","categoryId":7}';

/** Every check in its order, with the status and code for a request that fails it. */
const CHECKS = [
  ['route', 404, 'route_not_found'],
  ['method', 405, 'method_not_allowed'],
  ['key', 401, 'invalid_api_key'],
  ['scope', 403, 'insufficient_scope'],
  ['rate', 429, 'rate_limited'],
  ['removal', 410, 'operation_removed'],
  ['Accept', 406, 'not_acceptable'],
  ['media type', 415, 'unsupported_media_type'],
  ['size', 413, 'payload_too_large'],
  ['JSON', 400, 'invalid_json'],
  ['schema', 400, 'invalid_field'],
  ['idempotency', 422, 'idempotency_key_reused'],
] as const;

type Check = (typeof CHECKS)[number][0];
type Broken = ReadonlySet<Check>;

const PAIRS = CHECKS.flatMap(([first, status, code], at) =>
  CHECKS.slice(at + 1).map(([second]) => ({ first, second, status, code })),
);

/**
 * Only a removed operation can fail the check for removal, and only an operation with a body can fail those of the
 * body. The earlier check decides.
 */
const targetOf = (broken: Broken): string => {
  const path = broken.has('route') ? '/v1/nope' : broken.has('removal') ? '/v1/pets/1' : '/v1/pets';
  const method = broken.has('method') ? 'PUT' : broken.has('removal') ? 'GET' : 'POST';
  return `${method} ${path}`;
};

function bodyOf(broken: Broken): string {
  const name = broken.has('schema') ? '' : 'Otso';
  const body = `{"name":"${name}","categoryId":8${broken.has('JSON') ? '' : '}'}`;
  return broken.has('size') ? body.padEnd(20_000) : body;
}

const headersOf = (broken: Broken): string[] => [
  ...(broken.has('Accept') ? ['Accept: text/html'] : []),
  ...(broken.has('media type') ? ['Content-Type: text/plain'] : []),
  ...(broken.has('idempotency') ? ['Idempotency-Key: used'] : []),
];

onEachEngine('the order of checks', (engine) => {
  const store = serveOn(engine, { RATE_LIMIT_PER_MINUTE: String(LIMIT), GET_PET_SUNSET: '2026-01-01' });
  /** Keys of a client that has used up its limit. */
  const spent = { all: '', reading: '', writing: '', revoked: '' };
  const good = { reading: '', writing: '' };

  beforeAll(async () => {
    const keyOf = (client: string, scope: string): Promise<string> =>
      storeKey(store.database, { client, scopes: [scope] });
    good.reading = await keyOf('reading', 'pets:read');
    good.writing = await keyOf('writing', 'pets:write');
    spent.all = await keyOf('spent', '*');
    spent.reading = await keyOf('spent', 'pets:read');
    spent.writing = await keyOf('spent', 'pets:write');
    spent.revoked = await keyOf('spent', 'pets:read');
    await store.database.query('UPDATE api_key SET revoked_at = ? WHERE id = ?', [
      Date.now(),
      publicIdOf(spent.revoked),
    ]);
    await store.send('POST /v1/pets', { headers: ['Idempotency-Key: used'], body: VALID });
  }, SET_UP_LIMIT_MS);

  function keyOf(broken: Broken): string {
    const removed = broken.has('removal');
    if (broken.has('key')) return spent.revoked;
    if (broken.has('rate') && broken.has('scope')) return removed ? spent.writing : spent.reading;
    if (broken.has('rate')) return spent.all;
    if (broken.has('scope')) return removed ? good.writing : good.reading;
    return store.key;
  }

  async function sendBroken(...checks: Check[]): Promise<RawResponse> {
    const broken = new Set(checks);
    if (broken.has('rate')) await spend();
    return store.send(targetOf(broken), { headers: headersOf(broken), body: bodyOf(broken), key: keyOf(broken) });
  }

  /** Uses up the limit, even if a slow machine has reached the next minute. */
  async function spend(): Promise<void> {
    for (let left = 2 * LIMIT; left > 0; left--) {
      if ((await store.send('GET /v1/pets?limit=1', { key: spent.all })).status === 429) return;
    }
    throw new Error('The limit is never used up');
  }

  it('lets a request pass that fails none', async () => {
    expect((await sendBroken()).status).toBe(201);
  });

  describe('of two that fail, the first speaks:', () => {
    it.each(CHECKS)('%s alone is %d', async (check, status, code) => {
      expect(await sendBroken(check)).toBeErrorShape(status, code);
    });

    it.each(PAIRS)('$first ($status) before $second', async ({ first, second, status, code }) => {
      expect(await sendBroken(first, second)).toBeErrorShape(status, code);
    });
  });

  it('lets the first speak of all that fail at once', async () => {
    const left = CHECKS.map(([check]) => check);
    for (const [check, status, code] of CHECKS) {
      expect(await sendBroken(...left)).toBeErrorShape(status, code);
      left.splice(left.indexOf(check), 1);
    }
    expect((await sendBroken(...left)).status).toBe(201);
  });

  describe('and beside that:', () => {
    const long = `x=${'x'.repeat(9000)}`;

    it.each<[string, string, RawRequest, number, string]>([
      ['the URL before the route', `GET /v1/nope?${long}`, {}, 414, 'uri_too_long'],
      ['the URL before the method', `PUT /v1/pets?${long}`, {}, 414, 'uri_too_long'],
      ['the URL before the key', `GET /v1/pets?${long}`, { key: null }, 414, 'uri_too_long'],
      ['the headers before the route', 'GET /v1/nope', { headers: [`X: ${long}${long}`] }, 431, 'headers_too_large'],
      [
        'the headers before the key',
        'GET /v1/pets',
        { headers: [`X: ${long}${long}`], key: null },
        431,
        'headers_too_large',
      ],
      ['the key before the query', 'GET /v1/pets?limit=0', { key: null }, 401, 'missing_api_key'],
      ['Accept before the query', 'GET /v1/pets?limit=0', { headers: ['Accept: text/html'] }, 406, 'not_acceptable'],
      ['the query before the cursor', 'GET /v1/pets?limit=0&cursor=x', {}, 400, 'invalid_parameter'],
      ['the key before the missing body', 'POST /v1/pets', { key: null }, 401, 'missing_api_key'],
      ['Accept before the missing body', 'POST /v1/pets', { headers: ['Accept: text/html'] }, 406, 'not_acceptable'],
      ['the body before the query', 'POST /v1/pets?x=1', { body: '{' }, 400, 'invalid_json'],
      ['the query before the schema', 'POST /v1/pets?x=1', { body: '{}' }, 400, 'unknown_parameter'],
      ['the removal before the query', 'GET /v1/pets/1?x=1', {}, 410, 'operation_removed'],
      ['the removal before the id', 'GET /v1/pets/abc', {}, 410, 'operation_removed'],
      [
        'the schema before a bad key',
        'POST /v1/pets',
        { headers: ['Idempotency-Key: a b'], body: '{}' },
        400,
        'missing_field',
      ],
    ])('%s', async (_, request, options, status, code) => {
      expect(await store.send(request, options)).toBeErrorShape(status, code);
    });
  });

  it('leaves nothing of a request that fails any', async () => {
    const before = await store.countPets();
    for (const [check] of CHECKS) await sendBroken(check);
    expect(await store.countPets()).toBe(before);
  });
});
