import { beforeAll, describe, expect, it } from '@jest/globals';
import { onEachEngine } from '../support/engines.js';
import { serveOn } from '../support/served.js';

const VALID = '{"name":"Rex","categoryId":7}';
const CHROME = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'QUERY', 'PROPFIND'];

type Paths = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

onEachEngine('HTTP', (engine) => {
  const store = serveOn(engine);

  beforeAll(async () => {
    await store.client.post('/v1/pets', VALID);
  });

  describe('the media type of a body', () => {
    it.each([
      'application/json',
      'APPLICATION/JSON',
      'application/json;',
      'application/json; charset=utf-8',
      'application/json;charset=UTF-8',
      'application/json ; charset="utf-8"',
      'application/json; profile=pet',
      'application/json; profile=pet; charset=utf-8',
      'application/json; profile="pet;charset=gbk"',
      'application/json; profile="\\";charset=gbk"; charset=utf-8',
    ])('may be %s', async (type) => {
      expect((await store.send('POST /v1/pets', { headers: [`Content-Type: ${type}`], body: VALID })).status).toBe(201);
    });

    it.each([
      '',
      'json',
      'application',
      'application/',
      'application/*',
      '*/*',
      'text/plain',
      'text/json',
      'application/jsonp',
      'application/x+json',
      'application/vnd.api+json',
      'application/problem+json',
      'application/json-patch+json',
      'application/json text',
      'application/json, text/plain',
      'application/octet-stream',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/json; charset=GBK',
      'application/json; charset=iso-8859-1',
      'application/json; charset=us-ascii',
      'application/json; charset=utf-16',
      'application/json; charset=utf-7',
      'application/json; charset=utf8',
      'application/json; charset=',
      'application/json; charset',
      'application/json; charset="utf-8',
      'application/json; charset=utf-8; charset=gbk',
      'application/json; profile=pet; charset=gbk',
      'application/json; profile="pet"; charset=gbk',
      'application/json; profile="\\\\"; charset=gbk',
      ';application/json',
    ])('may not be %j', async (type) => {
      const before = await store.countPets();
      const answer = await store.send('POST /v1/pets', { headers: [`Content-Type: ${type}`], body: VALID });
      expect(answer).toBeErrorShape(415, 'unsupported_media_type');
      expect(await store.countPets()).toBe(before);
    });

    it('may not end in a no-break space', async () => {
      const request = store.bytes('POST /v1/pets', { headers: ['Content-Type: application/json~'], body: VALID });
      const connection = await store.connect();
      connection.send(Buffer.from(request.toString('latin1').replace('~', '\u{A0}'), 'latin1'));
      expect(await connection.receive()).toBeErrorShape(415, 'unsupported_media_type');
      connection.close();
    });

    it.each(['text/plain', 'application/json'])('may not be two, the second %s', async (second) => {
      const before = await store.countPets();
      const headers = ['Content-Type: application/json', `Content-Type: ${second}`];
      const answer = await store.send('POST /v1/pets', { headers, body: VALID });
      expect(answer).toBeErrorShape(415, 'unsupported_media_type');
      expect(await store.countPets()).toBe(before);
    });

    it('may not be absent', async () => {
      const request = Buffer.from(
        String(store.bytes('POST /v1/pets', { body: VALID })).replace(/Content-Type: .*\r\n/, ''),
      );
      const connection = await store.connect();
      connection.send(request);
      expect(await connection.receive()).toBeErrorShape(415, 'unsupported_media_type');
      connection.close();
    });

    it.each(['gzip', 'deflate', 'br', 'zstd', 'compress', 'x-gzip', 'gzip, identity', 'identity, gzip', 'utf-8'])(
      'may not have the coding %s',
      async (coding) => {
        const answer = await store.send('POST /v1/pets', { headers: [`Content-Encoding: ${coding}`], body: VALID });
        expect(answer).toBeErrorShape(415, 'unsupported_media_type');
      },
    );

    it.each(['identity', 'Identity'])('may have the coding %s, which is none', async (coding) => {
      const answer = await store.send('POST /v1/pets', { headers: [`Content-Encoding: ${coding}`], body: VALID });
      expect(answer.status).toBe(201);
    });

    it.each([
      ['no header about it', []],
      ['a media type alone', ['Content-Type: application/json']],
      ['another media type alone', ['Content-Type: text/plain']],
      ['a length of 0', ['Content-Length: 0', 'Content-Type: application/json']],
      ['no chunk', ['Transfer-Encoding: chunked', 'Content-Type: application/json']],
    ])('is ignored without a body: %s', async (_, headers) => {
      const body = headers.includes('Transfer-Encoding: chunked') ? '0\r\n\r\n' : '';
      const bytes = Buffer.concat([store.bytes('POST /v1/pets', { headers }), Buffer.from(body)]);
      const connection = await store.connect();
      connection.send(bytes);
      expect(await connection.receive()).toBeErrorShape(400, 'body_required');
      connection.close();
    });
  });

  describe('Accept', () => {
    it.each([
      '*/*',
      'application/*',
      'application/json',
      'Application/JSON',
      'application/json; charset=utf-8',
      'application/json;q=0.1',
      'application/json;q=0.001',
      'text/html, application/json',
      'text/html, */*;q=0.1',
      'text/html;q=0, */*',
      'application/xml;q=0.9, application/json;q=0.1',
      CHROME,
    ])('may be %s', async (accept) => {
      const answer = await store.send('GET /v1/pets', { headers: [`Accept: ${accept}`] });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    });

    it.each([
      'text/html',
      'text/*',
      'application/xml',
      'application/problem+json',
      'application/vnd.api+json',
      'application/jsonp',
      'application/json;q=0',
      'application/json;q=0.0, text/html',
      '*/*;q=0',
      'application/*;q=0, text/html',
      'application/json;q=0, */*',
      'application/*;q=0, */*;q=0.5',
      'image/png, text/html;q=0.5',
      'json',
    ])('may not be %s, and the Error is JSON all the same', async (accept) => {
      const headers = [`Accept: ${accept}`];
      const before = await store.countPets();
      for (const request of ['GET /v1/pets', 'GET /v1/pets/1', 'POST /v1/pets']) {
        const answer = await store.send(request, { headers, ...(request.startsWith('POST') && { body: VALID }) });
        expect(answer).toBeErrorShape(406, 'not_acceptable');
      }
      expect(await store.countPets()).toBe(before);
    });

    it('does not turn other failures into a 406', async () => {
      const headers = ['Accept: text/html'];
      expect(await store.send('GET /v1/nope', { headers })).toBeErrorShape(404, 'route_not_found');
      expect(await store.send('PUT /v1/pets', { headers })).toBeErrorShape(405, 'method_not_allowed');
      expect(await store.send('GET /v1/pets', { headers, key: null })).toBeErrorShape(401, 'missing_api_key');
    });
  });

  describe('HEAD', () => {
    it.each(['/v1/pets', '/v1/pets?limit=1', '/v1/pets/1'])('of %s is its GET without the body', async (path) => {
      const got = await store.send(`GET ${path}`);
      const connection = await store.connect();
      connection.send(Buffer.concat([store.bytes(`HEAD ${path}`), store.bytes(`GET ${path}`)]));
      const head = await connection.receive({ head: true });
      const next = await connection.receive();
      connection.close();
      expect(head.status).toBe(200);
      for (const name of ['content-type', 'content-length', 'etag', 'link', 'cache-control', 'vary', 'deprecation']) {
        expect([name, head.headers.get(name)]).toEqual([name, got.headers.get(name)]);
      }
      expect(next.text).toBe(got.text);
      expect(connection.unread).toBe('');
    });

    it.each([
      ['/v1/pets/999', 404],
      ['/v1/nope', 404],
      ['/v1/pets?limit=0', 400],
    ])('of %s has the %d without the body', async (path, status) => {
      const connection = await store.connect();
      connection.send(Buffer.concat([store.bytes(`HEAD ${path}`), store.bytes('GET /v1/pets/1')]));
      expect((await connection.receive({ head: true })).status).toBe(status);
      expect((await connection.receive()).status).toBe(200);
      connection.close();
    });

    it('needs a key', async () => {
      expect((await store.send('HEAD /v1/pets', { key: null })).status).toBe(401);
    });
  });

  describe('methods', () => {
    it.each([
      ['/v1/pets', 'GET, HEAD, OPTIONS, POST'],
      ['/v1/pets/1', 'GET, HEAD, OPTIONS'],
      ['/v1/pets/999', 'GET, HEAD, OPTIONS'],
      ['/v1/pets/abc', 'GET, HEAD, OPTIONS'],
      ['/docs', 'GET, HEAD, OPTIONS'],
      ['/openapi.json', 'GET, HEAD, OPTIONS'],
      ['/openapi.yaml', 'GET, HEAD, OPTIONS'],
    ])('OPTIONS of %s is 204 with Allow, without a key', async (path, allow) => {
      const answer = await store.send(`OPTIONS ${path}`, { key: null });
      expect(answer.status).toBe(204);
      expect(answer.headers.get('allow')).toBe(allow);
      expect(answer.headers.get('content-length')).toBeNull();
      expect(answer.headers.get('content-type')).toBeNull();
    });

    it.each(['/', '/nope', '/v1', '/v1/pets/', '/v1/pets/1/2'])('OPTIONS of %s is 404', async (path) => {
      expect(await store.send(`OPTIONS ${path}`, { key: null })).toBeErrorShape(404, 'route_not_found');
    });

    it('that are not known at a path of any feature are 405 with Allow, with a key and without', async () => {
      const { paths } = (await store.stranger.get('/openapi.json')).json() as { paths: Paths };
      const tried: string[] = [];
      for (const [template, operations] of Object.entries(paths)) {
        const path = `/v1${template.replace(/\{\w+\}/g, '1')}`;
        const known = Object.keys(operations).map((method) => method.toUpperCase());
        for (const method of METHODS.filter((name) => !known.includes(name))) {
          if (method === 'HEAD' && known.includes('GET')) continue;
          tried.push(`${method} ${template}`);
          for (const key of [null, store.key]) {
            const answer = await store.send(`${method} ${path}`, { key });
            if (method !== 'HEAD') expect(answer).toBeErrorShape(405, 'method_not_allowed');
            expect(answer.status).toBe(405);
            const allow = answer.headers.get('allow')?.split(', ');
            expect(allow).toEqual(
              expect.arrayContaining([...known.filter((name) => METHODS.includes(name)), 'OPTIONS']),
            );
            expect(allow).not.toContain(method);
          }
        }
      }
      expect(tried).toEqual(expect.arrayContaining(['DELETE /pets', 'PUT /pets/{petId}', 'POST /pets/{petId}']));
    });

    it.each(['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'])('are not changed by %s', async (name) => {
      const before = await store.countPets();
      for (const method of ['POST', 'DELETE']) {
        expect((await store.send('GET /v1/pets/1', { headers: [`${name}: ${method}`] })).text).toMatch(/^\{"id":1,/);
        const options = { headers: [`${name}: GET`], ...(method === 'POST' && { body: VALID }) };
        expect((await store.send(`${method} /v1/pets`, options)).status).toBe(method === 'POST' ? 201 : 405);
      }
      expect((await store.send('GET /v1/pets?_method=DELETE')).status).toBe(400);
      expect(await store.countPets()).toBe(before + 1n);
    });

    it.each(['POST /docs', 'DELETE /openapi.json', 'PUT /openapi.yaml'])('%s is 405', async (request) => {
      const answer = await store.send(request, { key: null });
      expect(answer).toBeErrorShape(405, 'method_not_allowed');
      expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    });
  });

  describe('paths', () => {
    it.each([
      '/nope',
      '/v1',
      '/v1/',
      '/v1/nope',
      '/v2/pets',
      '/pets',
      '/pets/1',
      '/v1/pets/',
      '/v1/pets/1/',
      '/v1/pets/1/2',
      '/V1/pets',
      '/v1/Pets',
      '/v1/PETS/1',
      '//v1/pets',
      '/v1//pets',
      '/v1/pets//1',
      '//v1/pets/1',
      '/v1/./pets',
      '/v1/../v1/pets',
      '/v1/pets/../pets',
      '/v1/p%65ts',
      '/v1%2Fpets',
      '/v1/pets%2F1',
      '/v1/pets%20',
      '/v1/pets%00',
      '/v1/pets;x=1',
      '/v1/pets.json',
      '/v1\\pets',
      '/api/v1/pets',
      '/docs/',
      '/Docs',
      '/openapi',
      '/favicon.ico',
      '/metrics',
      '/livez',
      'http://pets.test/v1/pets/',
    ])('%s is 404, not a redirect, with a key and without', async (path) => {
      for (const key of [null, store.key]) {
        const answer = await store.send(`GET ${path}`, { key });
        expect(answer).toBeErrorShape(404, 'route_not_found');
        expect(answer.headers.get('location')).toBeNull();
      }
    });

    it.each([
      ['/pets', '/v1/pets'],
      ['/pets/1', '/v1/pets/{petId}'],
      ['/v1/pets/', '/v1/pets'],
      ['/v1//pets', '/v1/pets'],
      ['/V1/Pets', '/v1/pets'],
      ['http://pets.test/v1/pets/', '/v1/pets'],
    ])('%s asks whether %s was meant', async (path, meant) => {
      const answer = await store.send(`GET ${path}`, { key: null });
      expect(JSON.parse(answer.text)).toMatchObject({
        message: `There is nothing at this path. Did you mean ${meant}?`,
      });
    });

    it.each(['/', '/v1', '/api/v1/pets', '/v1/cats'])('%s asks nothing', async (path) => {
      const answer = await store.send(`GET ${path}`, { key: null });
      expect(JSON.parse(answer.text)).toMatchObject({ message: 'There is nothing at this path.' });
    });

    it.each([
      '/v1/pets/%FF',
      '/v1/pets/%',
      '/v1/pets/%2',
      '/v1/pets/%zz',
      '/v1/pets/%E0%A4%A',
      '/v1/pets/%C0%AF',
      '/v1/%FF',
      '/%FF',
      '/docs/%',
      '/v1/pets/%FF?limit=1',
    ])('%s cannot be decoded and is 400', async (path) => {
      for (const method of ['GET', 'DELETE']) {
        expect(await store.send(`${method} ${path}`)).toBeErrorShape(400, 'bad_request');
      }
    });

    it('may be written in the absolute form', async () => {
      expect((await store.send('GET http://pets.test/v1/pets/1')).status).toBe(200);
      expect((await store.send('GET http://pets.test/v1/pets?limit=1')).status).toBe(200);
      expect((await store.send('OPTIONS http://pets.test/v1/pets')).status).toBe(204);
      expect(await store.send('PUT http://pets.test/v1/pets')).toBeErrorShape(405, 'method_not_allowed');
      expect(await store.send('GET http://pets.test')).toBeErrorShape(404, 'route_not_found');
    });

    it.each(['http://[::/v1/pets', 'http://a:b:c/v1/pets', 'http://a%b/v1/pets', 'ftp://pets.test/v1/pets'])(
      'whose authority means nothing: %s',
      async (target) => {
        expect((await store.send(`GET ${target}`)).text).toMatch(/^\[/);
        expect(await store.send(`DELETE ${target}`)).toBeErrorShape(405, 'method_not_allowed');
        expect(await store.send(`GET ${target}/`)).toBeErrorShape(404, 'route_not_found');
      },
    );

    it('and has no other paths then', async () => {
      expect(await store.send('GET http://pets.test/v1\\pets')).toBeErrorShape(404, 'route_not_found');
    });

    it.each(['/v1/pets#top', '/v1/pets?limit=1#top', '/v1/pets/1#'])('%s has a fragment and is 400', async (path) => {
      expect(await store.send(`GET ${path}`)).toBeErrorShape(400, 'bad_request');
    });

    it.each(['GET *', 'OPTIONS *x', 'OPTIONS /*'])('%s is nowhere', async (request) => {
      expect(await store.send(request)).toBeErrorShape(404, 'route_not_found');
    });

    it('may be * for OPTIONS, which says what the service as a whole knows', async () => {
      const answer = await store.send('OPTIONS *', { key: null });
      expect([answer.status, answer.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS, POST']);
      expect(await store.send('OPTIONS *%')).toBeErrorShape(400, 'bad_request');
    });

    it('makes nothing but JSON lines, whatever it is', () => {
      const lines = store.service.output.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
      expect(lines).toEqual([]);
    });
  });

  describe('the root', () => {
    it.each(['text/html', CHROME, 'text/html, application/json;q=0.9', 'application/json;q=0.5, text/html'])(
      'leads a browser to the documentation: Accept: %s',
      async (accept) => {
        const answer = await store.send('GET /', { headers: [`Accept: ${accept}`], key: null });
        expect(answer.status).toBe(302);
        const target = new URL(answer.headers.get('location') ?? '', `${store.service.url}/`);
        expect(target.pathname).toBe('/docs');
        const page = await store.stranger.get(target.pathname);
        expect(page.status).toBe(200);
        expect(page.headers.get('content-type')).toMatch(/^text\/html/);
      },
    );

    it.each([
      ['GET /', []],
      ['GET /', ['Accept: */*']],
      ['GET /', ['Accept: application/json']],
      ['GET /', ['Accept: application/json, text/html']],
      ['GET /', ['Accept: application/json, text/html;q=0.9']],
      ['GET /', ['Accept: image/png']],
      ['POST /', ['Accept: text/html']],
      ['DELETE /', ['Accept: text/html']],
    ])('is 404 for all other requests: %s %j', async (request, headers) => {
      expect(await store.send(request, { headers, key: null })).toBeErrorShape(404, 'route_not_found');
    });
  });

  it('does not read the body of a GET as the next request', async () => {
    const connection = await store.connect();
    connection.send(store.bytes('GET /v1/pets/1', { body: 'GET /v1/pets HTTP/1.1\r\n\r\n' }));
    connection.send(store.bytes('GET /v1/nope'));
    expect((await connection.receive()).status).toBe(200);
    expect((await connection.receive()).status).toBe(404);
    connection.close();
  });
});
