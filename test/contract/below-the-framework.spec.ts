import { beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { onEachEngine } from '../support/engines.js';
import { RawConnection, type RawResponse } from '../support/raw-http.js';
import { serveOn } from '../support/served.js';
import type { LogLine } from '../support/service.js';

const VALID = '{"name":"Rex","categoryId":7}';
const JSON_TYPE = 'Content-Type: application/json';
const TLS_HELLO = Buffer.from('160301012001000', 'latin1');

onEachEngine('below the framework', (engine) => {
  const store = serveOn(engine, { HTTP_HEADERS_TIMEOUT_MS: '600', HTTP_REQUEST_TIMEOUT_MS: '1200' });

  beforeAll(async () => {
    await store.client.post('/v1/pets', VALID);
  });

  /** Replaces `KEY` by a header line with a valid key. */
  const withKey = (bytes: string): Buffer =>
    Buffer.from(bytes.replaceAll('KEY', `Authorization: Bearer ${store.key}`), 'latin1');

  async function exchange(bytes: string | Uint8Array): Promise<[RawConnection, RawResponse]> {
    const connection = await store.connect();
    connection.send(typeof bytes === 'string' ? withKey(bytes) : bytes);
    return [connection, await connection.receive()];
  }

  async function expectLast(connection: RawConnection): Promise<void> {
    expect(await connection.untilClosed()).toBe(true);
    expect(connection.unread).toBe('');
    connection.close();
  }

  /** Expects one complete error, and then the end of the connection. */
  async function expectRefused(bytes: string | Uint8Array, status: number, code: string): Promise<void> {
    const before = await store.countPets();
    const [connection, answer] = await exchange(bytes);
    expect(answer).toBeErrorShape(status, code);
    expect(answer.headers.get('connection')).toBe('close');
    expect(answer.headers.get('content-length')).toBe(String(answer.body.length));
    await expectLast(connection);
    expect(await store.countPets()).toBe(before);
  }

  describe('bytes that are no request are 400', () => {
    it.each([
      ['a word', 'hello\r\n\r\n'],
      ['TLS', TLS_HELLO],
      ['zeros', Buffer.alloc(100)],
      ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
      ['a response', 'HTTP/1.1 200 OK\r\n\r\n'],
      ['HTTP/0.9', 'GET /v1/pets\r\n\r\n'],
      ['another version', 'GET /v1/pets HTTP/9.9\r\nHost: x\r\n\r\n'],
      ['a method that nobody knows', 'FOO /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n'],
      ['a method in small letters', 'get /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n'],
      ['a space in the target', 'GET /v1/pets x HTTP/1.1\r\nHost: x\r\n\r\n'],
      ['no target', 'GET HTTP/1.1\r\nHost: x\r\n\r\n'],
      ['a target without a slash', 'GET pets HTTP/1.1\r\nHost: x\r\n\r\n'],
      ['a target that is not ASCII', 'GET /v1/p\u00e9ts HTTP/1.1\r\nHost: x\r\n\r\n'],
      ['NUL in the target', 'GET /v1/pets\0 HTTP/1.1\r\nHost: x\r\n\r\n'],
      ['no Host', 'GET /v1/pets HTTP/1.1\r\nKEY\r\n\r\n'],
      ['two Hosts', 'GET /v1/pets HTTP/1.1\r\nHost: x\r\nHost: x\r\nKEY\r\n\r\n'],
      ['two hosts in one', 'GET /v1/pets HTTP/1.1\r\nHost: a, b\r\nKEY\r\n\r\n'],
      ['a host that is none', 'GET /v1/pets HTTP/1.1\r\nHost: a/<>\r\nKEY\r\n\r\n'],
      ['a port that is none', 'GET /v1/pets HTTP/1.1\r\nHost: a:b\r\nKEY\r\n\r\n'],
      ['a header without a colon', 'GET /v1/pets HTTP/1.1\r\nHost: x\r\nKEY\r\nnonsense\r\n\r\n'],
      ['a header without a name', 'GET /v1/pets HTTP/1.1\r\nHost: x\r\nKEY\r\n: x\r\n\r\n'],
      ['a name that is none', 'GET /v1/pets HTTP/1.1\r\nHost: x\r\nKEY\r\nX Y: z\r\n\r\n'],
      ['NUL in a header', 'GET /v1/pets HTTP/1.1\r\nHost: x\r\nKEY\r\nX: a\0b\r\n\r\n'],
      ['a folded header', 'GET /v1/pets HTTP/1.1\r\nHost: x\r\nKEY\r\nX: a\r\n b\r\n\r\n'],
      ['bare LF', 'GET /v1/pets HTTP/1.1\nHost: x\nKEY\n\n'],
      ['CONNECT', 'CONNECT pets.test:443 HTTP/1.1\r\nHost: pets.test:443\r\nKEY\r\n\r\n'],
    ])('%s', async (_, bytes) => {
      await expectRefused(bytes, 400, 'bad_request');
    });
  });

  describe('a body that cannot be told apart from the bytes after it is 400', () => {
    const post = (framing: string, body: string): string =>
      `POST /v1/pets HTTP/1.1\r\nHost: x\r\nKEY\r\n${JSON_TYPE}\r\n${framing}\r\n\r\n${body}`;
    const chunks = `${VALID.length.toString(16)}\r\n${VALID}\r\n0\r\n\r\n`;

    it.each([
      ['length and chunks', `Content-Length: ${VALID.length}\r\nTransfer-Encoding: chunked`, chunks],
      ['two lengths', `Content-Length: ${VALID.length}\r\nContent-Length: 5`, VALID],
      ['a length that is no number', 'Content-Length: many', VALID],
      ['a length beyond 2^64', 'Content-Length: 18446744073709551617', VALID],
      ['another coding', 'Transfer-Encoding: gzip', chunks],
      ['a chunk without a size', 'Transfer-Encoding: chunked', `x\r\n${VALID}`],
      ['a chunk longer than its size', 'Transfer-Encoding: chunked', `5\r\n${VALID}\r\n0\r\n\r\n`],
    ])('%s', async (_, framing, body) => {
      await expectRefused(post(framing, body), 400, 'bad_request');
    });
  });

  it.each(['', 'pets.test', 'pets.test:', 'PETS_1.test:443', '127.0.0.1:80', '[::1]', '[fe80::1%25eth0]:80', 'a%20b'])(
    'a Host may be %j',
    async (host) => {
      const [connection, answer] = await exchange(`GET /v1/pets HTTP/1.1\r\nHost: ${host}\r\nKEY\r\n\r\n`);
      expect(answer.status).toBe(200);
      connection.close();
    },
  );

  describe('what Node finds too large', () => {
    it.each([
      [431, 'headers_too_large', `GET /v1/pets HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(60_000)}\r\n\r\n`],
      [431, 'headers_too_large', `GET /v1/pets HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(1_000_000)}\r\n\r\n`],
      [414, 'uri_too_long', `GET /${'x'.repeat(60_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
      [414, 'uri_too_long', `DELETE /${'x'.repeat(1_000_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ])('is %d %s', async (status, code, bytes) => {
      await expectRefused(bytes, status, code);
    });
  });

  describe('what comes too slowly is 408', () => {
    it.each([
      ['a request line', 'GET /v1/pe'],
      ['headers', 'GET /v1/pets HTTP/1.1\r\nHost: x\r\nKEY\r\n'],
      ['headers of the second request', 'GET /v1/pets/1 HTTP/1.1\r\nHost: x\r\nKEY\r\n\r\nGET /v1/pets HTTP/1.1\r\n'],
      ['a body', `POST /v1/pets HTTP/1.1\r\nHost: x\r\nKEY\r\n${JSON_TYPE}\r\nContent-Length: 100\r\n\r\n${VALID}`],
      [
        'chunks',
        `POST /v1/pets HTTP/1.1\r\nHost: x\r\nKEY\r\n${JSON_TYPE}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"nam`,
      ],
    ])('%s', async (what, bytes) => {
      const before = await store.countPets();
      const [connection, first] = await exchange(bytes);
      const answer = what.includes('second') ? await connection.receive() : first;
      expect(answer).toBeErrorShape(408, 'request_timeout');
      expect(answer.headers.get('connection')).toBe('close');
      await expectLast(connection);
      expect(await store.countPets()).toBe(before);
    });

    it('and has the request id of its client, in the answer and in the log', async () => {
      const [connection, answer] = await exchange(
        `POST /v1/pets HTTP/1.1\r\nHost: x\r\nKEY\r\n${JSON_TYPE}\r\nContent-Length: 100\r\nX-Request-Id: slow\r\n\r\n{`,
      );
      expect(answer.headers.get('x-request-id')).toBe('slow');
      await expectLast(connection);
      const line = await store.service.untilLogged((logged) => logged['request_id'] === 'slow');
      expect(line).toMatchObject({ code: 'request_timeout', http: { status: 408 } });
    });

    it('unless it is answered already: then the connection closes and no second answer comes', async () => {
      const [connection, answer] = await exchange(
        'POST /v1/pets HTTP/1.1\r\nHost: x\r\nKEY\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\n{',
      );
      expect(answer).toBeErrorShape(415, 'unsupported_media_type');
      await expectLast(connection);
    });

    it('and a connection that says nothing is closed', async () => {
      const connection = await store.connect();
      expect(await connection.untilClosed()).toBe(true);
    });

    it('and a client that does not take its answers is left', async () => {
      const connection = await RawConnection.open(store.service.url, { paused: true });
      const request = store.bytes('GET /docs/assets/swagger-ui-bundle.js', { headers: ['X-Request-Id: untaken'] });
      connection.send(Buffer.concat(Array.from({ length: 20 }, () => request)));
      const isLeft = (line: LogLine): boolean => line['request_id'] === 'untaken' && line['aborted'] === true;
      expect(await store.service.untilLogged(isLeft, 60_000)).toMatchObject({ http: { status: 200 } });
      connection.close();
    });

    it('while others are served', async () => {
      const slow = await store.connect();
      slow.send('GET /v1/pets HTTP/1.1\r\n');
      expect((await store.send('GET /v1/pets/1')).status).toBe(200);
      expect(await slow.receive()).toBeErrorShape(408, 'request_timeout');
      slow.close();
    });
  });

  describe('requests in a row', () => {
    it('are answered in their order', async () => {
      const before = Number(await store.countPets());
      const connection = await store.connect();
      connection.send(
        Buffer.concat([
          store.bytes('POST /v1/pets', { body: VALID }),
          store.bytes('GET /v1/nope'),
          store.bytes('GET /v1/pets/1'),
          store.bytes('HEAD /v1/pets/1'),
          store.bytes('GET /v1/pets', { key: null }),
          store.bytes('POST /v1/pets', { body: VALID }),
        ]),
      );
      const statuses: number[] = [];
      for (const head of [false, false, false, true, false, false]) {
        statuses.push((await connection.receive({ head })).status);
      }
      expect(statuses).toEqual([201, 404, 200, 200, 401, 201]);
      expect(connection.unread).toBe('');
      connection.close();
      expect(Number(await store.countPets())).toBe(before + 2);
    });

    it.each([
      ['GET', 200, ''],
      ['POST', 201, VALID],
    ])('are answered before what is wrong behind them: %s', async (method, status, body) => {
      const connection = await store.connect();
      const request = store.bytes(`${method} /v1/pets`, body === '' ? {} : { body });
      connection.send(Buffer.concat([request, request, Buffer.from('nonsense\r\n\r\n')]));
      expect((await connection.receive()).status).toBe(status);
      expect((await connection.receive()).status).toBe(status);
      expect(await connection.receive()).toBeErrorShape(400, 'bad_request');
      await expectLast(connection);
    });

    it('may have empty lines between them', async () => {
      const connection = await store.connect();
      const request = store.bytes('GET /v1/pets/1');
      connection.send(Buffer.concat([Buffer.from('\r\n\r\n'), request, Buffer.from('\r\n'), request]));
      expect((await connection.receive()).status).toBe(200);
      expect((await connection.receive()).status).toBe(200);
      connection.close();
    });

    it('end with the one that asks for it', async () => {
      const connection = await store.connect();
      const last = store.bytes('GET /v1/pets/1', { headers: ['Connection: close'] });
      connection.send(Buffer.concat([last, store.bytes('GET /v1/pets/1')]));
      const answer = await connection.receive();
      expect(answer.status).toBe(200);
      expect(answer.headers.get('connection')).toBe('close');
      await expectLast(connection);
    });
  });

  describe('HTTP/1.0', () => {
    it.each(['GET /v1/pets/1 HTTP/1.0\r\nKEY\r\n\r\n', 'GET /v1/pets/1 HTTP/1.0\r\nHost: x\r\nKEY\r\n\r\n'])(
      'is served, needs no Host, and closes: %j',
      async (bytes) => {
        const [connection, answer] = await exchange(bytes);
        expect(answer.status).toBe(200);
        expect(answer.text).toMatch(/^\{"id":1,/);
        expect(answer.headers.get('transfer-encoding')).toBeNull();
        await expectLast(connection);
      },
    );

    it('may post, and is never told to continue', async () => {
      const length = `Content-Length: ${VALID.length}`;
      const [connection, answer] = await exchange(
        `POST /v1/pets HTTP/1.0\r\nKEY\r\n${JSON_TYPE}\r\n${length}\r\nExpect: 100-continue\r\n\r\n${VALID}`,
      );
      expect(answer.status).toBe(201);
      await expectLast(connection);
    });
  });

  it.each(['websocket', 'h2c'])(
    'an upgrade to %s is not taken, and all that comes with it is served',
    async (protocol) => {
      const headers = [
        'Connection: Upgrade',
        `Upgrade: ${protocol}`,
        'Sec-WebSocket-Key: x',
        'HTTP2-Settings: AAMAAABk',
      ];
      const [post, get] = [
        store.bytes('POST /v1/pets', { headers, body: VALID }),
        store.bytes('GET /v1/pets/1', { headers }),
      ];
      const connection = await store.connect();
      // The packets end within a body, within a head, and at the end of a request.
      for (const bytes of [
        [post.subarray(0, -5)],
        [post.subarray(-5), get, get, post, get.subarray(0, 30)],
        [get.subarray(30)],
        [get],
      ]) {
        connection.send(Buffer.concat(bytes));
        await sleep(50);
      }
      for (const status of [201, 200, 200, 201, 200, 200]) {
        const answer = await connection.receive();
        expect(answer.status).toBe(status);
        expect(answer.headers.get('upgrade')).toBeNull();
        expect(answer.headers.get('connection')).toBe('keep-alive');
      }
      connection.close();
    },
  );

  it('trailers that are too large are no URL, whatever they look like', async () => {
    const before = await store.countPets();
    const connection = await store.connect();
    const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nKEY\r\n${JSON_TYPE}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    for (const packet of [`${head}1d\r\n${VALID}\r\n0\r\nX-Long: `, `GET ${'x'.repeat(30_000)}\r\n\r\n`]) {
      connection.send(withKey(packet));
      await sleep(50);
    }
    expect(await connection.receive()).toBeErrorShape(431, 'headers_too_large');
    await expectLast(connection);
    expect(await store.countPets()).toBe(before);
  });

  // llhttp does not report errors in the bytes after the head of such a request.
  describe('errors in or after a request for an upgrade are reported', () => {
    const CHUNKED = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nKEY\r\n${JSON_TYPE}\r\nTransfer-Encoding: chunked`;
    const UPGRADE = 'Connection: upgrade\r\nUpgrade: h2c\r\n\r\n';
    const GET = `GET /v1/pets/1 HTTP/1.1\r\nHost: x\r\nKEY\r\n${UPGRADE}`;

    async function sentIn(packets: readonly string[]): Promise<RawConnection> {
      const connection = await store.connect();
      for (const packet of packets) {
        connection.send(withKey(packet));
        await sleep(50);
      }
      return connection;
    }

    it.each([
      ['a chunk in its packet', [`${CHUNKED}\r\n${UPGRADE}zz\r\n`]],
      ['a chunk in the next', [`${CHUNKED}\r\n${UPGRADE}`, 'zz\r\n']],
      ['a later chunk', [`${CHUNKED}\r\n${UPGRADE}`, '5\r\n{"nam\r\n', 'zz\r\n']],
      ['a trailer', [`${CHUNKED}\r\n${UPGRADE}`, `1d\r\n${VALID}\r\n`, '0\r\nX A: b\r\n\r\n']],
    ])('%s', async (_, packets) => {
      const before = await store.countPets();
      const connection = await sentIn(packets);
      const answer = await connection.receive({ limitMs: 1000 });
      expect(answer).toBeErrorShape(400, 'bad_request');
      await expectLast(connection);
      expect(await store.countPets()).toBe(before);
    });

    it.each([
      ['in its packet', [`${GET}hello\r\n\r\n`]],
      ['in the next', [GET, 'hello\r\n\r\n']],
      ['behind half a head', [`${GET}GET /v1/pets HTTP/1.1\r\n`, 'Host : x\r\n\r\n']],
    ])('what is no request, %s', async (_, packets) => {
      const connection = await sentIn(packets);
      expect((await connection.receive({ limitMs: 1000 })).status).toBe(200);
      expect(await connection.receive({ limitMs: 1000 })).toBeErrorShape(400, 'bad_request');
      await expectLast(connection);
    });

    const LONG = 'a'.repeat(30_000);

    it.each([
      ['open, in its packet', [`${GET}GET /v1/pets HTTP/1.1\r\nX: ${LONG}`]],
      ['open, in the next packets', [GET, 'GET /v1/pets HTTP/1.1\r\nX: ', LONG]],
      ['complete', [`${GET}GET /v1/pets HTTP/1.1\r\nHost: x\r\nX: ${LONG}\r\n\r\n`]],
    ])('a head that is too large, %s', async (_, packets) => {
      const connection = await sentIn(packets);
      expect((await connection.receive({ limitMs: 1000 })).status).toBe(200);
      expect(await connection.receive({ limitMs: 1000 })).toBeErrorShape(431, 'headers_too_large');
      await expectLast(connection);
    });

    it.each(['in its packet', 'in the next'])('a head that the client does not complete, %s', async (place) => {
      const connection = await store.connect();
      const part = 'GET /v1/pe';
      connection.send(withKey(place === 'in its packet' ? GET + part : GET));
      if (place === 'in the next') {
        await sleep(50);
        connection.send(part);
      }
      connection.end();
      expect((await connection.receive({ limitMs: 1000 })).status).toBe(200);
      expect(await connection.receive({ limitMs: 1000 })).toBeErrorShape(400, 'bad_request');
      await expectLast(connection);
    });
  });
});
