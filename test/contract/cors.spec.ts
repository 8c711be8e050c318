import { beforeAll, describe, expect, it } from '@jest/globals';
import { onEachEngine } from '../support/engines.js';
import type { RawResponse } from '../support/raw-http.js';
import { type RawRequest, serveOn } from '../support/served.js';

const PAGE = 'https://app.example.com';
const LOCAL_PAGE = 'http://localhost:5173';
const VALID = '{"name":"Rex","categoryId":7}';
const PREFLIGHT = [
  `Origin: ${PAGE}`,
  'Access-Control-Request-Method: POST',
  'Access-Control-Request-Headers: authorization,content-type,idempotency-key',
];

const corsHeadersOf = (answer: RawResponse): string[] =>
  [...answer.headers.keys()].filter((name) => name.startsWith('access-control-'));

const listOf = (value: string | null): string[] => (value ?? '').split(',').map((item) => item.trim().toLowerCase());

onEachEngine('CORS off', (engine) => {
  const store = serveOn(engine);

  it.each([
    [200, 'GET /v1/pets'],
    [404, 'GET /v1/nope'],
    [200, 'GET /openapi.json'],
  ])('sends no CORS headers to a page: %d %s', async (status, request) => {
    const answer = await store.send(request, { headers: [`Origin: ${PAGE}`] });
    expect(answer.status).toBe(status);
    expect(corsHeadersOf(answer)).toEqual([]);
    expect(answer.headers.get('vary') ?? '').not.toMatch(/origin/i);
  });

  it('answers a preflight request as any OPTIONS', async () => {
    const answer = await store.send('OPTIONS /v1/pets', { headers: PREFLIGHT, key: null });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST');
    expect(corsHeadersOf(answer)).toEqual([]);
  });
});

onEachEngine('CORS on', (engine) => {
  const store = serveOn(engine, { CORS_ORIGINS: `${PAGE},${LOCAL_PAGE}` });

  beforeAll(async () => {
    await store.client.post('/v1/pets', VALID);
  });

  it.each<[number, string, RawRequest]>([
    [200, 'GET /v1/pets', {}],
    [200, 'GET /v1/pets/1', {}],
    [200, 'HEAD /v1/pets', {}],
    [201, 'POST /v1/pets', { body: VALID }],
    [304, 'GET /v1/pets/1', { headers: ['If-None-Match: *'] }],
    [400, 'GET /v1/pets?limit=0', {}],
    [400, 'GET /v1/pets/%FF', {}],
    [401, 'GET /v1/pets', { key: null }],
    [404, 'GET /v1/nope', {}],
    [405, 'PUT /v1/pets', {}],
    [406, 'GET /v1/pets', { headers: ['Accept: text/html'] }],
    [413, 'POST /v1/pets', { body: ' '.repeat(20_000) }],
    [200, 'GET /openapi.json', {}],
    [204, 'OPTIONS *', { key: null }],
    [400, 'GET /v1/pets#a', {}],
    [431, 'GET /v1/pets', { headers: [`X-Long: ${'x'.repeat(17_000)}`] }],
  ])('lets a page read a %d: %s', async (status, request, { headers = [], ...options }) => {
    for (const origin of [PAGE, LOCAL_PAGE]) {
      const answer = await store.send(request, { ...options, headers: [...headers, `Origin: ${origin}`] });
      expect(answer.status).toBe(status);
      expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
      expect(listOf(answer.headers.get('vary'))).toContain('origin');
    }
  });

  it('lets a page read that its URL is too long', async () => {
    const answer = await store.send(`GET /${'x'.repeat(9000)}`, { headers: [`Origin: ${PAGE}`] });
    expect(answer).toBeErrorShape(414, 'uri_too_long');
    expect(answer.headers.get('access-control-allow-origin')).toBe(PAGE);
  });

  it('lets a page read what is wrong in a body that is still arriving', async () => {
    const connection = await store.connect();
    const headers = [`Origin: ${PAGE}`, 'Content-Type: application/json', 'Transfer-Encoding: chunked'];
    connection.send(Buffer.concat([store.bytes('POST /v1/pets', { headers }), Buffer.from('zz\r\n')]));
    const answer = await connection.receive();
    connection.close();
    expect(answer).toBeErrorShape(400, 'bad_request');
    expect(answer.headers.get('access-control-allow-origin')).toBe(PAGE);
  });

  it('lets a page read what the contract says in headers', async () => {
    const answer = await store.send('GET /v1/pets', { headers: [`Origin: ${PAGE}`] });
    expect(listOf(answer.headers.get('access-control-expose-headers'))).toEqual(
      expect.arrayContaining([
        'link',
        'location',
        'etag',
        'ratelimit',
        'ratelimit-policy',
        'retry-after',
        'x-request-id',
        'deprecation',
        'sunset',
        'www-authenticate',
        'idempotent-replayed',
        'allow',
      ]),
    );
  });

  it('keeps the other names in Vary', async () => {
    const answer = await store.send('GET /v1/pets', { headers: [`Origin: ${PAGE}`] });
    expect(listOf(answer.headers.get('vary'))).toEqual(['origin', 'authorization']);
    const root = await store.send('GET /', { headers: [`Origin: ${PAGE}`, 'Accept: text/html'] });
    expect(listOf(root.headers.get('vary'))).toEqual(['origin', 'accept']);
  });

  it.each([
    'https://evil.example',
    'https://app.example.com.evil.example',
    'https://evil-app.example.com',
    'https://app.example.com:8443',
    'http://app.example.com',
    'HTTPS://APP.EXAMPLE.COM',
    'https://app.example.com/',
    'http://localhost',
    'null',
    '*',
    '',
  ])('does not allow the origin %j', async (origin) => {
    for (const request of ['GET /v1/pets', 'OPTIONS /v1/pets']) {
      const answer = await store.send(request, { headers: [`Origin: ${origin}`] });
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
      expect(listOf(answer.headers.get('vary'))).toContain('origin');
    }
  });

  it('does not allow a request without an Origin', async () => {
    const answer = await store.send('GET /v1/pets');
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    expect(listOf(answer.headers.get('vary'))).toContain('origin');
  });

  describe('a preflight request', () => {
    it('gets the allowed method and headers, without a key', async () => {
      const answer = await store.send('OPTIONS /v1/pets', { headers: PREFLIGHT, key: null });
      expect(answer.status).toBe(204);
      expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST');
      expect(answer.headers.get('access-control-allow-origin')).toBe(PAGE);
      expect(listOf(answer.headers.get('access-control-allow-methods'))).toEqual(
        expect.arrayContaining(['get', 'post']),
      );
      expect(listOf(answer.headers.get('access-control-allow-headers'))).toEqual(
        expect.arrayContaining(['authorization', 'content-type', 'idempotency-key']),
      );
      expect(answer.headers.get('access-control-max-age')).toBe('600');
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    });

    it('gets 404 for an unknown path', async () => {
      expect(await store.send('OPTIONS /v1/nope', { headers: PREFLIGHT })).toBeErrorShape(404, 'route_not_found');
    });
  });
});

onEachEngine('CORS on, at the limit', (engine) => {
  // All requests of a pipeline are processed at the same time.
  const store = serveOn(engine, { CORS_ORIGINS: PAGE, SHED_MAX_INFLIGHT: '1' });

  it('lets a page read that it should wait, and how long', async () => {
    const connection = await store.connect();
    const request = store.bytes('GET /v1/pets', { headers: [`Origin: ${PAGE}`] });
    connection.send(Buffer.concat([request, request]));
    expect((await connection.receive()).status).toBe(200);
    const answer = await connection.receive();
    connection.close();
    expect(answer).toBeErrorShape(503, 'service_unavailable');
    expect(answer.headers.get('access-control-allow-origin')).toBe(PAGE);
    expect(listOf(answer.headers.get('access-control-expose-headers'))).toContain('retry-after');
  });
});
