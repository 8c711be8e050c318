import { describe, expect, it } from '@jest/globals';
import { onEachEngine } from '../support/engines.js';
import { exchangeRaw, RawConnection } from '../support/raw-http.js';
import { serveOn } from '../support/served.js';

const HEAD_LIMIT_MS = 1000;
/** The limit of simultaneous connections. */
const MOST = 100;
/** RFC 9562 §5.7. */
const UUID_V7 = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

onEachEngine('the management port', (engine) => {
  const store = serveOn(engine, {
    HTTP_HEADERS_TIMEOUT_MS: String(HEAD_LIMIT_MS),
    HTTP_REQUEST_TIMEOUT_MS: String(2 * HEAD_LIMIT_MS),
  });
  const connect = (): Promise<RawConnection> => RawConnection.open(store.service.managementUrl);

  describe('refuses in the Error shape', () => {
    it.each([
      [404, 'route_not_found', 'GET /nope HTTP/1.1\r\nHost: x\r\n\r\n'],
      [405, 'method_not_allowed', 'POST /livez HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n'],
      [400, 'bad_request', 'hello\r\n\r\n'],
      [400, 'bad_request', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n'],
      [431, 'headers_too_large', `GET /livez HTTP/1.1\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`],
    ])('%d %s', async (status, code, bytes) => {
      const answer = await exchangeRaw(store.service.managementUrl, bytes);
      expect(answer).toBeErrorShape(status, code);
      expect(answer.headers.get('content-length')).toBe(String(answer.body.length));
      expect(answer.headers.get('x-request-id')).toMatch(UUID_V7);
    });
  });

  it('answers with the id of the request', async () => {
    for (const path of ['/livez', '/metrics', '/nope']) {
      const answer = await exchangeRaw(
        store.service.managementUrl,
        `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Request-Id: probe-1\r\n\r\n`,
      );
      expect(answer.headers.get('x-request-id')).toBe('probe-1');
    }
  });

  it.each(['/livez', '/readyz', '/startupz', '/metrics'])('answers %s whole, however it is asked', async (path) => {
    for (const rest of ['HTTP/1.1\r\nHost: x', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/1.1\r\nHost: x\r\nExpect: x']) {
      const answer = await exchangeRaw(store.service.managementUrl, `GET ${path} ${rest}\r\n\r\n`);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-length')).toBe(String(answer.body.length));
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it('keeps the connection of a client of HTTP/1.0 that asks for it', async () => {
    const connection = await RawConnection.open(store.service.managementUrl);
    for (let probe = 0; probe < 2; probe++) {
      connection.send('GET /livez HTTP/1.0\r\nConnection: keep-alive\r\n\r\n');
      expect((await connection.receive()).text).toBe('{"status":"ok"}');
    }
    connection.close();
  });

  describe('is as hard as the port of the API', () => {
    it.each([
      ['nothing', ''],
      ['half a head', 'GET /livez HTTP/1.1\r\nHo'],
      ['half a body', 'POST /livez HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc'],
    ])('a client that sends %s is cut off in time', async (_, bytes) => {
      const connection = await connect();
      connection.send(bytes);
      expect(await connection.untilClosed()).toBe(true);
      expect(connection.unread).toMatch(/^HTTP\/1.1 (408|405) /);
    });

    it('holds no more than its own number of connections, and the newest is answered', async () => {
      const held = await Promise.all(Array.from({ length: 4 * MOST }, connect));
      for (const connection of held) connection.send('GET /livez HTTP/1.1\r\nHo');
      expect((await exchangeRaw(store.service.managementUrl, 'GET /livez HTTP/1.1\r\n\r\n')).status).toBe(200);
      const ends = held.slice(0, 3 * MOST).map((connection) => connection.untilClosed());
      expect(await Promise.all(ends)).toEqual(Array<boolean>(3 * MOST).fill(true));
      // They were closed before the time limit for a head, so without an answer.
      expect(held.slice(0, 3 * MOST).map(({ unread }) => unread)).toEqual(Array<string>(3 * MOST).fill(''));
      expect((await store.client.get('/v1/pets')).status).toBe(200);
      for (const connection of held) connection.close();
    });

    it.each([
      ['garbage', 'hello\r\n\r\n', 400],
      ['a tunnel', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n', 400],
      ['another method', 'DELETE /livez HTTP/1.1\r\nHost: x\r\n\r\n', 405],
    ])('%s behind requests is answered behind them, and closes', async (_, bytes, status) => {
      const connection = await connect();
      connection.send(`GET /metrics HTTP/1.1\r\n\r\nGET /livez HTTP/1.1\r\n\r\n${bytes}`);
      for (const expected of [200, 200, status]) expect((await connection.receive()).status).toBe(expected);
      expect(await connection.untilClosed()).toBe(true);
    });

    it('an upgrade is ignored, and what stands behind it is answered', async () => {
      const connection = await connect();
      const upgrade = 'GET /livez HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
      connection.send(`${upgrade}GET /startupz HTTP/1.1\r\n\r\n`);
      expect((await connection.receive()).text).toBe('{"status":"ok"}');
      expect((await connection.receive()).text).toBe('{"status":"ok"}');
      connection.close();
    });

    it.each(['/metrics', '/livez'])('a body that is none has one answer, and no line: %s', async (path) => {
      const connection = await connect();
      connection.send(`GET ${path} HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc`);
      expect([200, 400]).toContain((await connection.receive()).status);
      expect(await connection.untilClosed()).toBe(true);
      expect(connection.unread).toBe('');
      expect((await exchangeRaw(store.service.managementUrl, 'GET /livez HTTP/1.1\r\n\r\n')).status).toBe(200);
      expect(store.service.log.filter(({ level }) => level === 'error')).toEqual([]);
    });

    it('a client that closed its sending side gets its answer', async () => {
      for (const path of ['/metrics', '/readyz']) {
        const connection = await connect();
        connection.send(`GET ${path} HTTP/1.1\r\n\r\n`);
        connection.end();
        expect((await connection.receive()).status).toBe(200);
        expect(await connection.untilClosed()).toBe(true);
      }
    });
  });
});
