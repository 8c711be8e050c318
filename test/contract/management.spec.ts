import { describe, expect, it } from '@jest/globals';
import { onEachEngine } from '../support/engines.js';
import { exchangeRaw, RawConnection } from '../support/raw-http.js';
import { serveOn } from '../support/served.js';

onEachEngine('the management port', (engine) => {
  const store = serveOn(engine);

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
    });
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
});
