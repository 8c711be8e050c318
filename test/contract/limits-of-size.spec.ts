import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { onEachEngine } from '../support/engines.js';
import { hosting } from '../support/hosting.js';
import { HttpClient } from '../support/http.js';
import type { RawConnection, RawResponse } from '../support/raw-http.js';
import { type RawRequest, serveOn } from '../support/served.js';
import { Service } from '../support/service.js';

const BODY_LIMIT = 16_384;
const URL_LIMIT = 8192;
const HEADERS_LIMIT = 16_384;
const VALID = '{"name":"Rex","categoryId":7}';
const LENGTH = VALID.length;
const JSON_TYPE = 'Content-Type: application/json';

/** A valid body of this many bytes. */
const bodyOf = (bytes: number): string => VALID.replace(':7', `:${' '.repeat(bytes - VALID.length)}7`);

function chunked(body: string, size = 1000): string {
  const chunks = body.match(new RegExp(`.{1,${size}}`, 'g')) ?? [];
  return [...chunks, ''].map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('');
}

const CHUNKED = { headers: ['Transfer-Encoding: chunked', JSON_TYPE] };
const FULL_SIZES = [BODY_LIMIT - 1, BODY_LIMIT];
const OVER_SIZES = [BODY_LIMIT + 1, 20_000, 200_000];

onEachEngine('sizes', (engine) => {
  const store = serveOn(engine);

  /** Sends the parts one by one, and then another request, to show that the connection can still be used. */
  async function sendOn(connection: RawConnection, ...parts: readonly (string | Uint8Array)[]): Promise<RawResponse> {
    for (const part of parts) connection.send(part);
    return connection.receive();
  }

  async function expectUsable(connection: RawConnection): Promise<void> {
    expect(await sendOn(connection, store.bytes('GET /v1/nope'))).toBeErrorShape(404, 'route_not_found');
    connection.close();
  }

  describe('of a body', () => {
    it.each(FULL_SIZES)('may be %d bytes', async (bytes) => {
      expect((await store.send('POST /v1/pets', { body: bodyOf(bytes) })).status).toBe(201);
    });

    it.each(FULL_SIZES)('may be %d bytes in chunks', async (bytes) => {
      const connection = await store.connect();
      const head = store.bytes('POST /v1/pets', CHUNKED);
      expect((await sendOn(connection, head, chunked(bodyOf(bytes)))).status).toBe(201);
      await expectUsable(connection);
    });

    it.each(OVER_SIZES)('may not be %d bytes', async (bytes) => {
      const before = await store.countPets();
      const connection = await store.connect();
      const answer = await sendOn(connection, store.bytes('POST /v1/pets', { body: bodyOf(bytes) }));
      expect(answer).toBeErrorShape(413, 'payload_too_large');
      expect(answer.text).toContain(String(BODY_LIMIT));
      await expectUsable(connection);
      expect(await store.countPets()).toBe(before);
    });

    it.each(OVER_SIZES)('may not be %d bytes in chunks', async (bytes) => {
      const before = await store.countPets();
      const connection = await store.connect();
      const head = store.bytes('POST /v1/pets', CHUNKED);
      expect(await sendOn(connection, head, chunked(bodyOf(bytes)))).toBeErrorShape(413, 'payload_too_large');
      await expectUsable(connection);
      expect(await store.countPets()).toBe(before);
    });

    it('may not be over the limit in one chunk, nor in chunks of one byte', async () => {
      for (const size of [BODY_LIMIT + 1, 1]) {
        const connection = await store.connect();
        const head = store.bytes('POST /v1/pets', CHUNKED);
        const answer = await sendOn(connection, head, chunked(bodyOf(BODY_LIMIT + 1), size));
        expect(answer).toBeErrorShape(413, 'payload_too_large');
        connection.close();
      }
    });

    it('is refused by its Content-Length, before it arrives', async () => {
      for (const length of ['16385', '1000000', '9007199254740993']) {
        const connection = await store.connect();
        const head = store.bytes('POST /v1/pets', { headers: [`Content-Length: ${length}`, JSON_TYPE] });
        expect(await sendOn(connection, head)).toBeErrorShape(413, 'payload_too_large');
        connection.close();
      }
    });

    it('is refused in chunks before it ends', async () => {
      const connection = await store.connect();
      const endless = chunked(bodyOf(BODY_LIMIT + 1000)).slice(0, -'0\r\n\r\n'.length);
      const answer = await sendOn(connection, store.bytes('POST /v1/pets', CHUNKED), endless);
      expect(answer).toBeErrorShape(413, 'payload_too_large');
      connection.close();
    });

    it('is not limited if the operation does not read it', async () => {
      const connection = await store.connect();
      expect((await sendOn(connection, store.bytes('GET /v1/pets', { body: 'x'.repeat(200_000) }))).status).toBe(200);
      await expectUsable(connection);
    });
  });

  describe('that a body only claims', () => {
    it('less than it is: the rest is no request, and is not taken for one', async () => {
      const before = await store.countPets();
      const connection = await store.connect();
      const head = store.bytes('POST /v1/pets', { headers: ['Content-Length: 10', JSON_TYPE] });
      expect(await sendOn(connection, head, VALID)).toBeErrorShape(400, 'invalid_json');
      expect(await connection.receive()).toBeErrorShape(400, 'bad_request');
      expect(await connection.untilClosed()).toBe(true);
      expect(await store.countPets()).toBe(before);
    });

    it('a whole pet, and more behind it', async () => {
      const before = await store.countPets();
      const connection = await store.connect();
      const head = store.bytes('POST /v1/pets', { headers: [`Content-Length: ${LENGTH}`, JSON_TYPE] });
      expect((await sendOn(connection, head, `${VALID}${VALID}`)).status).toBe(201);
      expect(await connection.receive()).toBeErrorShape(400, 'bad_request');
      expect(await connection.untilClosed()).toBe(true);
      expect(await store.countPets()).toBe(before + 1n);
    });

    it('more than it is: nothing happens until the rest comes', async () => {
      const before = await store.countPets();
      const connection = await store.connect();
      const head = store.bytes('POST /v1/pets', { headers: [`Content-Length: ${LENGTH + 5}`, JSON_TYPE] });
      connection.send(head);
      connection.send(VALID);
      expect((await store.send('GET /v1/pets')).status).toBe(200);
      expect(connection.unread).toBe('');
      expect(await store.countPets()).toBe(before);
      expect((await sendOn(connection, ' '.repeat(5))).status).toBe(201);
      await expectUsable(connection);
    });

    it('more than it is, and the client leaves: nothing is stored', async () => {
      const before = await store.countPets();
      const connection = await store.connect();
      connection.send(store.bytes('POST /v1/pets', { headers: ['Content-Length: 100', JSON_TYPE] }));
      connection.send(VALID);
      connection.end();
      expect(await connection.receive()).toBeErrorShape(400, 'bad_request');
      expect(await connection.untilClosed()).toBe(true);
      expect(await store.countPets()).toBe(before);
    });
  });

  describe('of a URL', () => {
    const urlOf = (bytes: number): string => '/v1/pets?cursor='.padEnd(bytes, 'A');

    it.each([URL_LIMIT - 1, URL_LIMIT])('may be %d bytes', async (bytes) => {
      expect(await store.send(`GET ${urlOf(bytes)}`)).toBeErrorShape(400, 'invalid_cursor');
    });

    it.each([URL_LIMIT + 1, 10_000, 20_000, 60_000])('may not be %d bytes', async (bytes) => {
      for (const request of [`GET ${urlOf(bytes)}`, `GET ${'/x'.padEnd(bytes, 'x')}`, `POST ${urlOf(bytes)}`]) {
        expect(await store.send(request, { key: null })).toBeErrorShape(414, 'uri_too_long');
      }
    });
  });

  describe('of the headers', () => {
    /** Headers of exactly this many bytes, line ends included, in this many lines. */
    function headersOf(bytes: number, lines: number): string[] {
      const fixed = ['Host: pets.test', `Authorization: Bearer ${store.key}`];
      const left = bytes - fixed.join('').length - 2 * fixed.length - lines * 'X-Nn: \r\n'.length;
      const each = Math.floor(left / lines);
      return [
        ...fixed,
        ...Array.from({ length: lines }, (_, at) => {
          return `X-${String(at).padStart(2, '0')}: ${'x'.repeat(at === 0 ? left - each * (lines - 1) : each)}`;
        }),
      ];
    }

    it.each([1, 10, 90])('may be 16 KiB in %d lines and two', async (lines) => {
      const headers = headersOf(HEADERS_LIMIT, lines);
      expect(headers.join('\r\n').length + 2).toBe(HEADERS_LIMIT);
      expect((await store.send('GET /v1/pets', { headers })).status).toBe(200);
    });

    it('may be any number of lines within that', async () => {
      const headers = [...headersOf(1000, 1), ...Array.from({ length: 3000 }, () => 'a:')];
      expect((await store.send('GET /v1/pets', { headers })).status).toBe(200);
    });

    it.each([
      [HEADERS_LIMIT + 1, 1],
      [HEADERS_LIMIT + 1, 10],
      [HEADERS_LIMIT + 1, 90],
      [20_000, 1],
      [30_000, 10],
      [100_000, 1],
    ])('may not be %d bytes in %d lines and two', async (bytes, lines) => {
      for (const request of ['GET /v1/pets', 'POST /v1/pets', 'GET /nope']) {
        const answer = await store.send(request, { headers: headersOf(bytes, lines) });
        expect(answer).toBeErrorShape(431, 'headers_too_large');
      }
    });

    it('may be full beside a URL that is full', async () => {
      const answer = await store.send(`GET ${'/v1/pets?cursor='.padEnd(URL_LIMIT, 'A')}`, {
        headers: headersOf(HEADERS_LIMIT, 3),
      });
      expect(answer).toBeErrorShape(400, 'invalid_cursor');
    });
  });

  describe('Expect: 100-continue', () => {
    const expecting = (...headers: string[]): RawRequest => ({
      headers: ['Expect: 100-continue', `Content-Length: ${LENGTH}`, JSON_TYPE, ...headers],
    });

    it.each(['100-continue', '100-Continue'])('is answered to a good key: %s', async (expectation) => {
      const connection = await store.connect();
      const { headers = [] } = expecting();
      connection.send(store.bytes('POST /v1/pets', { headers: [`Expect: ${expectation}`, ...headers.slice(1)] }));
      const interim = await connection.receive();
      expect(interim.statusLine).toBe('HTTP/1.1 100 Continue');
      expect((await sendOn(connection, VALID)).status).toBe(201);
      await expectUsable(connection);
    });

    it.each<[number, string, RawRequest]>([
      [404, 'POST /v1/nope', expecting()],
      [405, 'PUT /v1/pets', expecting()],
      [401, 'POST /v1/pets', { ...expecting(), key: null }],
      [401, 'POST /v1/pets', { ...expecting(), key: 'wrong' }],
      [406, 'POST /v1/pets', expecting('Accept: text/html')],
      [415, 'POST /v1/pets', expecting('Content-Encoding: gzip')],
      [413, 'POST /v1/pets', { headers: ['Expect: 100-continue', 'Content-Length: 20000', JSON_TYPE] }],
      [200, 'GET /v1/pets', expecting()],
    ])('is not answered by 100 where the answer is %d already', async (status, request, options) => {
      const before = await store.countPets();
      const connection = await store.connect();
      const answer = await sendOn(connection, store.bytes(request, options));
      expect(answer.status).toBe(status);
      // The service cannot know whether the body will come, so it closes the connection (RFC 9110 §10.1.1).
      expect(answer.headers.get('connection')).toBe('close');
      expect(await connection.untilClosed()).toBe(true);
      expect(connection.unread).toBe('');
      expect(await store.countPets()).toBe(before);
    });

    it('is not answered by 100 to a key without the scope', async () => {
      const key = await storeKey(store.database, { scopes: ['pets:read'] });
      const answer = await store.send('POST /v1/pets', { ...expecting(), key });
      expect(answer).toBeErrorShape(403, 'insufficient_scope');
    });

    it.each(['200-ok', 'x=y', '100-continue, x=y'])(
      'is the only known expectation: %s is ignored',
      async (expectation) => {
        const answer = await store.send('POST /v1/pets', { headers: [`Expect: ${expectation}`], body: VALID });
        expect(answer.status).toBe(201);
      },
    );
  });

  describe('of a body that is not there yet', () => {
    const promising = (...headers: string[]): RawRequest => ({
      headers: [`Content-Length: ${LENGTH}`, JSON_TYPE, ...headers],
    });

    it.each<[number, string, RawRequest]>([
      [404, 'POST /v1/nope', promising()],
      [405, 'PUT /v1/pets', promising()],
      [401, 'POST /v1/pets', { ...promising(), key: null }],
      [401, 'POST /v1/pets', { ...promising(), key: 'wrong' }],
      [406, 'POST /v1/pets', promising('Accept: text/html')],
      [415, 'POST /v1/pets', promising('Content-Encoding: gzip')],
    ])('are not waited for: %d', async (status, request, options) => {
      const connection = await store.connect();
      expect((await sendOn(connection, store.bytes(request, options))).status).toBe(status);
      // The body arrives after the answer. It must not be read as a request.
      expect((await sendOn(connection, VALID, store.bytes('GET /v1/nope'))).status).toBe(404);
      expect(connection.unread).toBe('');
      connection.close();
    });
  });
});

describe('the size of a body for an operation that says its own', () => {
  const OWN_LIMIT = 65_536;
  let database: TestDatabase;
  let service: Service;
  let client: HttpClient;

  beforeAll(async () => {
    database = await createSqliteDatabase();
    service = await Service.start({ database, ...hosting({ features: ['features/tasks.feature.ts'] }) });
    client = new HttpClient(service.url, await storeKey(database));
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  const post = (path: string, bytes: number) => client.post(path, '{"name":"Sweep","waitMs":0}'.padEnd(bytes));

  it('is what that says, for it alone', async () => {
    expect((await post('/v1/chores', OWN_LIMIT)).status).toBe(201);
    const refused = await post('/v1/chores', OWN_LIMIT + 1);
    expect(refused).toBeErrorShape(413, 'payload_too_large');
    expect(refused.text).toContain(String(OWN_LIMIT));
    for (const path of ['/v1/tasks', '/v1/pets']) {
      expect(await post(path, BODY_LIMIT + 1)).toBeErrorShape(413, 'payload_too_large');
    }
  });
});
