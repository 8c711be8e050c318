import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { storeKey } from '../../support/api-keys.js';
import type { TestDatabase } from '../../support/database.js';
import { onEachEngine } from '../../support/engines.js';
import { hosting } from '../../support/hosting.js';
import type { Answer } from '../../support/http.js';
import { Service } from '../../support/service.js';
import { startTwins } from '../../support/twins.js';

const features = ['../extension/ordinary/ordinary.features.ts'];
onEachEngine('what handlers of ordinary modules take and answer', (engine) => {
  const twins = startTwins({
    modules: '../extension/ordinary/modules/index.ts',
    features: [...features, 'features/albums.feature.ts'],
    createDatabase: () => engine.createDatabase(),
  });

  const HEADERS = ['content-type', 'content-disposition', 'location', 'x-ink', 'set-cookie'];
  const seen = ({ status, text, headers }: Answer): unknown => [status, text, HEADERS.map((name) => headers.get(name))];

  describe('what handlers answer', () => {
    it.each([
      ['export', 'text/csv'],
      ['documented', 'text/csv'],
      ['bytes', 'image/png'],
      ['stream', '*/*'],
      ['own', 'text/html'],
      ['later', 'text/html'],
      ['problem', 'application/vnd.prints+json'],
      ['passed', 'application/json'],
      ['soon', 'application/json'],
      ['cached', '*/*'],
    ])('%s for Accept: %s', async (path, accept) => {
      const { plain, featured } = await twins.both('GET', `/v1/prints/${path}`, { headers: { accept } });
      expect(plain.status).toBeLessThan(400);
      expect(seen(featured)).toEqual(seen(plain));
      expect(featured.headers.get('x-request-id')).not.toBeNull();
      expect(featured.headers.get('ratelimit')).not.toBeNull();
    });

    it.each([
      ['export', 'application/json'],
      ['bytes', 'image/jpeg'],
      ['cached', 'text/csv'],
      ['ticks', 'application/json'],
    ])('%s is not what Accept: %s asks for', async (path, accept) => {
      const answer = await twins.featured.get(`/v1/prints/${path}`, { headers: { accept } });
      expect(answer).toBeErrorShape(406, 'not_acceptable');
    });

    it('what a handler says about caching stays; else it is private, and a failure is stored by nobody', async () => {
      const cached = await twins.featured.get('/v1/prints/cached');
      expect(cached.headers.get('cache-control')).toBe('public, max-age=60');
      const again = await twins.featured.get('/v1/prints/cached', {
        headers: { 'if-none-match': cached.headers.get('etag') ?? '' },
      });
      expect([again.status, again.headers.get('cache-control')]).toEqual([304, 'public, max-age=60']);
      expect((await twins.featured.get('/v1/prints/passed')).headers.get('cache-control')).toBe('no-store');
      expect((await twins.featured.get('/v1/prints/soon')).headers.get('cache-control')).toBe('private, no-cache');
      const refused = await twins.featured.get('/v1/prints/cached?other=1');
      expect(refused).toBeErrorShape(400, 'unknown_parameter');
      expect(refused.headers.get('cache-control')).toBe('no-store');
    });

    it('a file that is not there is a 500 that says nothing of it', async () => {
      const answer = await twins.featured.get('/v1/prints/lost');
      expect(answer).toBeErrorShape(500, 'internal_error');
      expect(answer.text).not.toContain('4711');
    });
  });

  const FORM = 'multipart/form-data; boundary=cut';

  /** A multipart form in the format of a browser. */
  function form(fields: Readonly<Record<string, string | Buffer>>): { body: Buffer; headers: Record<string, string> } {
    const parts = Object.entries(fields).flatMap(([name, value]) => {
      const file = typeof value === 'string' ? '' : '; filename="a.txt"\r\nContent-Type: text/plain';
      return [
        Buffer.from(`--cut\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`),
        Buffer.from(value),
        Buffer.from('\r\n'),
      ];
    });
    const body = Buffer.concat([...parts, Buffer.from('--cut--\r\n')]);
    return {
      body,
      headers: { 'content-type': FORM, 'content-length': String(body.length) },
    };
  }

  describe('files that are uploaded', () => {
    const fields = { title: 'Hare', copies: '3', file: Buffer.from('hello') };

    it('come with the other fields as a DTO', async () => {
      const { plain, featured } = await twins.both('POST', '/v1/prints/upload', form(fields));
      expect(plain.json()).toEqual({ bytes: 5, name: 'a.txt', isPrint: true, print: { title: 'Hare', copies: 3 } });
      expect([featured.status, featured.text]).toEqual([plain.status, plain.text]);
      const many = await twins.both('POST', '/v1/prints/uploads', form({ files: Buffer.from('abc') }));
      expect([many.featured.status, many.featured.text]).toEqual([200, many.plain.text]);
    });

    it('are refused by the DTO, by pipes, and by what they are', async () => {
      const bad = await twins.featured.request('POST', '/v1/prints/upload', form({ ...fields, copies: 'many' }));
      expect(bad).toBeErrorShape(400, 'invalid_field');
      const { plain, featured } = await twins.both('POST', '/v1/prints/uploads', form({ files: Buffer.alloc(11) }));
      expect(featured).toBeErrorShape(plain.status, 'invalid_field');
      expect((featured.json() as { message: string }).message).toBe((plain.json() as { message: string }).message);
      expect(await twins.featured.post('/v1/prints/upload', { title: 'x', copies: 1 })).toBeErrorShape(
        415,
        'unsupported_media_type',
      );
      expect(
        await twins.featured.request('POST', '/v1/prints/upload', form({ other: Buffer.from('x') })),
      ).toBeErrorShape(400, 'bad_request');
    });

    it('are read after the key, and up to the limit of a body, with and without a Content-Length', async () => {
      const large = form({ ...fields, file: Buffer.alloc(20_000) });
      const headers = { ...large.headers, authorization: 'Bearer nothing' };
      expect(await twins.featured.request('POST', '/v1/prints/upload', { ...large, headers })).toBeErrorShape(
        401,
        'invalid_api_key',
      );
      expect(await twins.featured.request('POST', '/v1/prints/upload', large)).toBeErrorShape(413, 'payload_too_large');
      const chunked = { 'content-type': FORM, 'transfer-encoding': 'chunked' };
      const answer = await sendInPieces(large.body, chunked);
      expect(answer).toEqual([413, 'payload_too_large']);
    });

    it('are read up to the limit that @BodyLimit gives their handler, to the byte', async () => {
      const around = form({ file: Buffer.alloc(0) }).body.length;
      const ofLength = (bytes: number) => form({ file: Buffer.alloc(bytes - around) });
      const [fits, exceeds] = [ofLength(40_000), ofLength(40_001)];
      const answer = await twins.featured.request('POST', '/v1/albums/pictures', fits);
      expect([answer.status, answer.json()]).toStrictEqual([200, { bytes: 40_000 - around }]);
      expect(await twins.featured.request('POST', '/v1/albums/pictures', exceeds)).toBeErrorShape(
        413,
        'payload_too_large',
      );
      const chunked = { 'content-type': FORM, 'transfer-encoding': 'chunked' };
      const sent = [fits, exceeds].map(({ body }) => sendInPieces(body, chunked, '/v1/albums/pictures'));
      expect(await Promise.all(sent)).toStrictEqual([
        [200, undefined],
        [413, 'payload_too_large'],
      ]);
    });
  });

  /** Sends a body in several packets, without a Content-Length. */
  function sendInPieces(
    body: Buffer,
    headers: Readonly<Record<string, string>>,
    path = '/v1/prints/upload',
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const url = `${twins.service.url}${path}`;
      const sent = request(url, { method: 'POST', headers: { ...headers, authorization: `Bearer ${twins.key}` } });
      sent.on('error', reject).on('response', (response) => {
        let text = '';
        response.on('data', (chunk) => (text += String(chunk)));
        response.on('end', () => resolve([response.statusCode, (JSON.parse(text) as { code: string }).code]));
      });
      for (let at = 0; at < body.length; at += 4096) sent.write(body.subarray(at, at + 4096));
      sent.end();
    });
  }

  describe('server-sent events', () => {
    const SHORT = { REQUEST_DEADLINE_MS: '400', DATABASE_ACQUIRE_TIMEOUT_MS: '100', DATABASE_QUERY_TIMEOUT_MS: '200' };
    let database: TestDatabase;
    let service: Service;
    let key: string;

    beforeAll(async () => {
      database = await engine.createDatabase();
      service = await Service.start({ database, ...hosting({ features, env: SHORT }) });
      key = await storeKey(database);
    });
    afterAll(() => database.drop());

    /** Opens a stream as an EventSource does. Returns an object that collects what arrives. */
    async function open(path: string) {
      const stream = { text: '', status: 0, type: '', ended: Promise.resolve() };
      const { promise, resolve, reject } = Promise.withResolvers<undefined>();
      const headers = { accept: 'text/event-stream', authorization: `Bearer ${key}`, 'cache-control': 'no-cache' };
      request(`${service.url}${path}`, { headers })
        .on('error', reject)
        .on('response', (response) => {
          stream.status = response.statusCode ?? 0;
          stream.type = response.headers['content-type'] ?? '';
          stream.ended = new Promise((done, fail) => response.on('end', done).on('error', fail));
          response.on('data', (chunk) => (stream.text += String(chunk)));
          resolve(undefined);
        })
        .end();
      await promise;
      return stream;
    }

    it('arrive, outlive the deadline of other requests, and end when the service stops', async () => {
      const [ticks, quiet] = [await open('/v1/prints/ticks'), await open('/v1/prints/quiet')];
      expect([ticks.status, ticks.type]).toEqual([200, 'text/event-stream']);
      while (!ticks.text.includes('"n":30')) await new Promise((resolve) => setTimeout(resolve, 10));
      expect(ticks.text).toContain('event: tick\nid: 3\ndata: {"n":3}\n\n');
      expect(await service.stop()).toEqual({ code: 0, signal: null });
      await Promise.all([ticks.ended, quiet.ended]);
      expect(service.log.filter(({ level }) => level === 'error')).toEqual([]);
    });
  });
});
