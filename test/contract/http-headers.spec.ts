import { beforeAll, describe, expect, it } from '@jest/globals';
import { onEachEngine } from '../support/engines.js';
import type { RawResponse } from '../support/raw-http.js';
import { type RawRequest, serveOn } from '../support/served.js';
import type { LogLine } from '../support/service.js';

const VALID = '{"name":"Rex","categoryId":7}';
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE_ID}-00f067aa0ba902b7-01`;

/** One answer of each kind: its status, the request, and its Cache-Control. */
const ANSWERS: readonly (readonly [number, string, RawRequest, string])[] = [
  [200, 'GET /v1/pets', {}, 'private, no-cache'],
  [200, 'GET /v1/pets/1', {}, 'private, no-cache'],
  [200, 'HEAD /v1/pets', {}, 'private, no-cache'],
  [201, 'POST /v1/pets', { body: VALID }, 'no-store'],
  [204, 'OPTIONS /v1/pets', {}, 'no-store'],
  [304, 'GET /v1/pets/1', { headers: ['If-None-Match: *'] }, 'private, no-cache'],
  [400, 'GET /v1/pets?limit=0', {}, 'no-store'],
  [400, 'GET /v1/pets/%FF', {}, 'no-store'],
  [400, 'POST /v1/pets', { body: '{' }, 'no-store'],
  [401, 'GET /v1/pets', { key: null }, 'no-store'],
  [401, 'GET /v1/pets', { key: 'wrong' }, 'no-store'],
  [404, 'GET /v1/pets/999', {}, 'no-store'],
  [404, 'GET /v1/nope', {}, 'no-store'],
  [404, 'GET /', {}, 'no-store'],
  [405, 'PUT /v1/pets', {}, 'no-store'],
  [406, 'GET /v1/pets', { headers: ['Accept: text/html'] }, 'no-store'],
  [413, 'POST /v1/pets', { body: ' '.repeat(20_000) }, 'no-store'],
  [414, `GET /v1/pets?x=${'x'.repeat(9000)}`, {}, 'no-store'],
  [415, 'POST /v1/pets', { headers: ['Content-Type: text/plain'], body: VALID }, 'no-store'],
  [431, 'GET /v1/pets', { headers: [`X-Big: ${'x'.repeat(17_000)}`] }, 'no-store'],
  [400, 'FOO /v1/pets', {}, 'no-store'],
  [431, 'GET /v1/pets', { headers: [`X-Big: ${'x'.repeat(50_000)}`] }, 'no-store'],
  [400, 'GET /v1/pets', { headers: ['Host: a', 'Host: b'] }, 'no-store'],
];

const JSON_ANSWERS = ANSWERS.filter(([status]) => ![204, 304].includes(status));
const short = (request: string): string => request.slice(0, 40);
const cases = (answers: typeof ANSWERS) =>
  answers.map(([status, request, options, caching]) => ({ status, request, options, caching, title: short(request) }));

onEachEngine('headers', (engine) => {
  const store = serveOn(engine);

  beforeAll(async () => {
    await store.client.post('/v1/pets', VALID);
  });

  describe('of every answer', () => {
    it.each(cases(ANSWERS))('$status $title', async ({ status, request, options, caching }) => {
      const answer = await store.send(request, options);
      expect(answer.status).toBe(status);
      expect(answer.headers.get('x-request-id')).toMatch(UUID_V7);
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('cache-control')).toBe(caching);
      expect(Number.isNaN(Date.parse(answer.headers.get('date') ?? ''))).toBe(false);
      expect(answer.headers.get('x-powered-by')).toBeNull();
      expect(answer.headers.get('server')).toBeNull();
      expect(answer.headers.get('set-cookie')).toBeNull();
      const names = answer.rawHeaders.map(([name]) => name.toLowerCase());
      expect(names).toEqual([...new Set(names)]);
    });

    it.each(cases(JSON_ANSWERS))('has a media type and a length: $status $title', async ({ request, options }) => {
      const answer = await store.send(request, options);
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(answer.headers.get('transfer-encoding')).toBeNull();
      if (!request.startsWith('HEAD')) expect(answer.headers.get('content-length')).toBe(String(answer.body.length));
    });

    it.each([
      ['GET', '/docs'],
      ['GET', '/openapi.json'],
      ['GET', '/openapi.yaml'],
      ['GET', '/docs/assets/docs.css'],
      ['OPTIONS', '/docs'],
    ])('of the documentation too: %s %s', async (method, path) => {
      const answer = await store.send(`${method} ${path}`, { key: null });
      expect(answer.status).toBe(method === 'GET' ? 200 : 204);
      expect(answer.headers.get('x-request-id')).toMatch(UUID_V7);
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('x-powered-by')).toBeNull();
    });

    it('lets the page of the documentation load what is its own, and loosens nothing else', async () => {
      const policyOf = async (path: string): Promise<string | null> =>
        (await store.send(`GET ${path}`)).headers.get('content-security-policy');
      expect(await policyOf('/docs')).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
      expect(await policyOf('/docs')).not.toMatch(/unsafe|upgrade-insecure-requests|https?:|\*/);
      for (const path of ['/v1/pets', '/v1/nope', '/openapi.json']) expect(await policyOf(path)).toBeNull();
    });
  });

  describe('X-Request-Id', () => {
    const idOf = (answer: RawResponse): string => answer.headers.get('x-request-id') ?? '';

    it.each(['a', '0', 'A.b_c-9', '---', '...', 'x'.repeat(128), '019ac1f0-6b7a-7c3e-9d52-0c1c6f0a4e11'])(
      'is echoed: %s',
      async (id) => {
        const headers = [`X-Request-Id: ${id}`];
        expect(idOf(await store.send('GET /v1/pets', { headers }))).toBe(id);
        expect(idOf(await store.send('GET /v1/pets', { headers, key: null }))).toBe(id);
        expect(idOf(await store.send('GET /v1/nope', { headers }))).toBe(id);
        expect(idOf(await store.send(`GET /${'x'.repeat(9000)}`, { headers }))).toBe(id);
      },
    );

    it.each([
      ['empty', ''],
      ['129 characters', 'x'.repeat(129)],
      ['a space', 'a b'],
      ['a slash', 'a/b'],
      ['a colon', 'urn:uuid:1'],
      ['quotes', '"a"'],
      ['a comma', 'a,b'],
      ['braces', '${jndi:ldap://x}'],
      ['not ASCII', 'é'],
      ['an escape', 'a\u001b[31m'],
      ['a tab', 'a\tb'],
    ])('is replaced: %s', async (_, id) => {
      const request = Buffer.from(
        `GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${store.key}\r\nX-Request-Id: ${id}\r\n\r\n`,
        'latin1',
      );
      const connection = await store.connect();
      connection.send(request);
      const answer = await connection.receive();
      connection.close();
      // Node refuses a header value that has a control character.
      expect(answer.status).toBe(id.includes('\u001b') ? 400 : 200);
      expect(idOf(answer)).toMatch(UUID_V7);
    });

    it('is replaced where it comes twice', async () => {
      const answer = await store.send('GET /v1/pets', { headers: ['X-Request-Id: a', 'X-Request-Id: a'] });
      expect(idOf(answer)).toMatch(UUID_V7);
    });

    it('is another for each request', async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => store.send('GET /v1/pets/1')));
      expect(new Set(answers.map(idOf)).size).toBe(10);
    });

    it('names the request in the log', async () => {
      const id = idOf(await store.send('GET /v1/pets/999'));
      const line = await store.service.untilLogged((logged) => logged['request_id'] === id);
      expect(line).toMatchObject({ event: 'http.request', code: 'pet_not_found', http: { status: 404 } });
    });
  });

  describe('the access line', () => {
    let next = 0;

    it.each([
      'GET /v1/pets',
      'GET /v1/pets/999',
      'DELETE /v1/pets',
      'OPTIONS /v1/pets',
      'GET /docs',
      'GET /docs/assets/docs.css',
      'GET /docs/assets/swagger-ui-bundle.js',
      'POST /docs',
      'GET /openapi.json',
      'GET /openapi.yaml',
      'GET /',
    ])('has the bytes of the body: %s, and none of it for HEAD or 304', async (request) => {
      const whole = await bytesOf(request);
      expect(whole.logged).toBe(whole.answer.body.length);
      if (!request.startsWith('GET ')) return;
      expect((await bytesOf(request.replace('GET', 'HEAD'))).logged).toBe(0);
      const tag = whole.answer.headers.get('etag');
      if (tag === null) return;
      const unchanged = await bytesOf(request, [`If-None-Match: ${tag}`]);
      expect([unchanged.answer.status, unchanged.logged]).toStrictEqual([304, 0]);
    });

    it('names the key that created an object, and the location of the object', async () => {
      const answer = await store.send('POST /v1/pets', { body: '{"name":"Otso","categoryId":1}' });
      expect(answer.status).toBe(201);
      const location = answer.headers.get('location');
      const line = await store.service.untilLogged((each) => each['location'] === location);
      expect(line).toMatchObject({ event: 'http.request', key_id: expect.stringMatching(/^\w+$/) });
    });

    async function bytesOf(request: string, headers: readonly string[] = []) {
      const id = `bytes-${next++}`;
      const answer = await store.send(request, { headers: [...headers, `X-Request-Id: ${id}`] });
      const line = await store.service.untilLogged(
        (each) => each['event'] === 'http.request' && each['request_id'] === id,
      );
      return { answer, logged: (line['http'] as { bytes?: number }).bytes };
    }
  });

  describe('traceparent', () => {
    let next = 0;

    /** The access log line of a request with these headers. */
    async function logged(headers: readonly string[]): Promise<LogLine> {
      const id = `trace-${next++}`;
      const answer = await store.send('GET /v1/pets/1', { headers: [...headers, `X-Request-Id: ${id}`] });
      expect(answer.status).toBe(200);
      return store.service.untilLogged((line) => line['event'] === 'http.request' && line['request_id'] === id);
    }

    it.each([TRACEPARENT, `00-${TRACE_ID}-00f067aa0ba902b7-00`, `01-${TRACE_ID}-00f067aa0ba902b7-01-later`])(
      'is continued: %s',
      async (value) => {
        expect(await logged([`traceparent: ${value}`])).toMatchObject({ trace_id: TRACE_ID });
      },
    );

    it.each([
      ['empty', ''],
      ['garbage', 'garbage'],
      ['the version ff', `ff-${TRACE_ID}-00f067aa0ba902b7-01`],
      ['no flags', `00-${TRACE_ID}-00f067aa0ba902b7`],
      ['capitals', TRACEPARENT.toUpperCase()],
      ['a short trace', `00-${TRACE_ID.slice(1)}-00f067aa0ba902b7-01`],
      ['a trace of zeros', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`],
      ['a span of zeros', `00-${TRACE_ID}-${'0'.repeat(16)}-01`],
      ['letters that are no digits', `00-${TRACE_ID.replace('4', 'g')}-00f067aa0ba902b7-01`],
      ['more than its version has', `${TRACEPARENT}-more`],
      ['very long', `${TRACEPARENT}-${'x'.repeat(8000)}`],
    ])('is dropped and the request is served: %s', async (_, value) => {
      const line = await logged([`traceparent: ${value}`]);
      expect(line['trace_id']).not.toBe(TRACE_ID);
      expect(JSON.stringify(line)).not.toContain('0'.repeat(16));
    });

    it('is dropped where it comes twice', async () => {
      const line = await logged([`traceparent: ${TRACEPARENT}`, `traceparent: ${TRACEPARENT}`]);
      expect(line['trace_id']).not.toBe(TRACE_ID);
    });
  });
});
