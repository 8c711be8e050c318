import { describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { inventKey } from '../support/api-keys.js';
import { onEachEngine } from '../support/engines.js';
import { metricValue } from '../support/metrics.js';
import { RawConnection } from '../support/raw-http.js';
import { serveOn } from '../support/served.js';
import type { LogLine } from '../support/service.js';

/** Milliseconds. Shorter than the time that a refused client has to read the answer. */
const HEAD_LIMIT_MS = 1000;

onEachEngine('behind an answer that closes the connection', (engine) => {
  const served = serveOn(engine, { HTTP_HEADERS_TIMEOUT_MS: String(HEAD_LIMIT_MS) });
  let pets = 0;

  const idOf = (name: string): string => name.replace(' ', '-');

  /** A whole request that would create a pet. */
  function post(): { readonly name: string; readonly bytes: string } {
    const name = `Behind ${String((pets += 1))}`;
    const body = JSON.stringify({ name, categoryId: 1 });
    const headers = [`X-Request-Id: ${idOf(name)}`];
    return { name, bytes: served.bytes('POST /v1/pets', { headers, body }).toString() };
  }

  async function expectNothingOf(name: string): Promise<void> {
    // A later request is carried out and logged later.
    const later = await served.client.post('/v1/pets', { name: 'Later', categoryId: 1 });
    expect(later.status).toBe(201);
    const found = await served.database.query('SELECT id FROM pet WHERE name = ?', [name]);
    expect(found).toEqual([]);
    const { service } = served;
    await service.untilLogged((line) => line['request_id'] === later.headers.get('x-request-id'));
    expect(service.log.filter((line) => line['request_id'] === idOf(name))).toEqual([]);
    const aborted = ['http_server_request_duration_seconds_count', 'error_type="aborted"'] as const;
    expect(await metricValue(service.managementUrl, ...aborted)).toBe(0);
    await untilIdle();
  }

  /** If a request stays in the gauge, the test ends by its time limit. */
  async function untilIdle(): Promise<void> {
    while ((await metricValue(served.service.managementUrl, 'http_server_active_requests')) > 0) await sleep(10);
  }

  const line = 'GET /v1/pets HTTP/1.1\r\n';
  const host = 'Host: h\r\n';

  it.each([
    ['no Host', 400, `${line}\r\n`],
    ['two Hosts', 400, `${line}${host}${host}\r\n`],
    ['a fragment', 400, `GET /v1/pets#a HTTP/1.1\r\n${host}\r\n`],
    ['a long URL', 414, `GET /v1/pets?${'a'.repeat(9000)} HTTP/1.1\r\n${host}\r\n`],
    ['large headers', 431, `${line}${host}X: ${'a'.repeat(16_500)}\r\n\r\n`],
    ['a strange coding', 400, `POST /v1/pets HTTP/1.1\r\n${host}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
    [
      'an expectation and no key',
      401,
      `POST /v1/pets HTTP/1.1\r\n${host}Expect: 100-continue\r\nContent-Length: 0\r\n\r\n`,
    ],
    ['an expectation and no route', 404, `GET /nowhere HTTP/1.1\r\n${host}Expect: 100-continue\r\n\r\n`],
    ['a wish to close', 401, `${line}${host}Connection: close\r\n\r\n`],
  ])('nothing is carried out: %s', async (_, status, bytes) => {
    const { name, bytes: behind } = post();
    const connection = await served.connect();
    connection.send(bytes + behind);
    expect((await connection.receive()).status).toBe(status);
    expect(await connection.untilClosed()).toBe(true);
    expect(connection.unread).toBe('');
    await expectNothingOf(name);
  });

  describe('a head that did not come in time', () => {
    it.each([
      ['the rest of it', ''],
      ['the rest of it, behind a request that was answered', 'GET /v1/pets HTTP/1.1\r\nHost: h\r\n\r\n'],
    ])('is not carried out by %s', async (_, before) => {
      const { name, bytes } = post();
      const connection = await served.connect();
      connection.send(before + bytes.slice(0, 40));
      if (before !== '') expect((await connection.receive()).status).toBe(401);
      expect((await connection.receive()).status).toBe(408);
      connection.send(bytes.slice(40));
      await connection.untilClosed();
      await expectNothingOf(name);
    });
  });

  const unknownKey = `Authorization: Bearer ${inventKey()}\r\n`;
  it.each([
    ['no key', 401, `POST /v1/pets HTTP/1.1\r\n`],
    ['a key that the store knows', 401, `POST /v1/pets HTTP/1.1\r\n${unknownKey}`],
    ['no route', 404, `POST /nowhere HTTP/1.1\r\n`],
    ['no route, and has a key', 404, `POST /nowhere HTTP/1.1\r\n${unknownKey}`],
    ['a method', 405, `DELETE /v1/pets HTTP/1.1\r\n`],
  ])('what is wrong in a body comes after what its head lacks: %s', async (_, status, start) => {
    const connection = await served.connect();
    connection.send(`${start}${host}Transfer-Encoding: chunked\r\n\r\nzz\r\nabc`);
    expect((await connection.receive()).status).toBe(status);
    expect(await connection.untilClosed()).toBe(true);
    expect(connection.unread).toBe('');
  });

  it.each(['POST /v1/pets', 'GET /v1/pets', 'GET /v1/pets/1'])(
    '%s with all that it needs is refused for its body',
    async (start) => {
      const headers = ['Transfer-Encoding: chunked', 'Content-Type: application/json'];
      const head = served.bytes(start, { headers }).toString();
      const connection = await served.connect();
      connection.send(`${head}zz\r\nabc`);
      expect((await connection.receive()).status).toBe(400);
      expect(await connection.untilClosed()).toBe(true);
      await untilIdle();
    },
  );

  it.each([
    ['the media type', 415, 'text/plain', 'zz\r\n'],
    ['the size', 413, 'application/json', `4e20\r\n${'x'.repeat(20_000)}\r\nzz\r\n`],
  ])('%s of a body is said before what is wrong in it', async (_, status, type, body) => {
    const headers = ['Transfer-Encoding: chunked', `Content-Type: ${type}`];
    const connection = await served.connect();
    connection.send(served.bytes('POST /v1/pets', { headers }).toString() + body);
    expect((await connection.receive()).status).toBe(status);
    expect(await connection.untilClosed()).toBe(true);
  });

  it('an answer that is on its way reaches its client whole, whatever comes behind the request', async () => {
    const path = '/docs/assets/swagger-ui-bundle.js';
    const connection = await RawConnection.open(served.service.url, { paused: true });
    connection.send(`GET ${path} HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n`);
    // This request begins later and completes.
    const { text } = await served.client.get(path);
    for (const bytes of ['zz\r\n', ...Array<string>(5).fill('x'.repeat(100))]) {
      connection.send(bytes);
      await sleep(5);
    }
    connection.resume();
    expect((await connection.receive()).body.length).toBe(Buffer.byteLength(text));
    expect(await connection.untilClosed()).toBe(true);
  });

  it.each(['no', 'one', 'three'])('%s requests before a bad body are answered, and so is its own', async (number) => {
    const before = { no: 0, one: 1, three: 3 }[number] ?? 0;
    const add = served.bytes('POST /v1/pets', { body: '{"name":"Before","categoryId":1}' });
    const ahead = [...Array<Buffer>(before).fill(Buffer.from(`GET /nowhere HTTP/1.1\r\n${host}\r\n`)), add];
    const bad = `POST /nowhere HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nzz\r\nabc`;
    const connection = await served.connect();
    connection.send(Buffer.concat([...ahead, Buffer.from(bad)]));
    for (let answer = 0; answer < before; answer += 1) expect((await connection.receive()).status).toBe(404);
    expect((await connection.receive()).status).toBe(201);
    expect((await connection.receive()).status).toBe(404);
    expect(await connection.untilClosed()).toBe(true);
  });

  it('a request before a CONNECT is answered by what it lacks', async () => {
    const connection = await served.connect();
    connection.send(`${line}${host}\r\nCONNECT x:1 HTTP/1.1\r\n${host}\r\n`);
    expect((await connection.receive()).status).toBe(401);
    expect((await connection.receive()).status).toBe(400);
  });

  const tunnel = `CONNECT x:1 HTTP/1.1\r\n${host}\r\n`;

  it('requests before a CONNECT are answered before it is refused, and nothing is carried out behind it', async () => {
    const { name, bytes } = post();
    const connection = await served.connect();
    const add = served.bytes('POST /v1/pets', { body: '{"name":"Before","categoryId":1}' });
    connection.send(Buffer.concat([add, served.bytes('GET /v1/pets'), add, Buffer.from(tunnel + bytes)]));
    for (const status of [201, 200, 201]) expect((await connection.receive()).status).toBe(status);
    const refusal = await connection.receive();
    expect(refusal).toBeErrorShape(400, 'bad_request');
    expect(refusal.headers.get('connection')).toBe('close');
    expect(await connection.untilClosed()).toBe(true);
    expect(connection.unread).toBe('');
    const isRefusal = (line: LogLine): boolean => line['request_id'] === refusal.headers.get('x-request-id');
    const line = await served.service.untilLogged(isRefusal);
    expect(line).toMatchObject({ code: 'bad_request', http: { method: 'CONNECT', status: 400 } });
    await expectNothingOf(name);
  });

  it('nothing is carried out behind the most requests that may wait', async () => {
    const connection = await served.connect();
    connection.send('GET /v1/pets HTTP/1.1\r\nHost: h\r\n\r\n'.repeat(32));
    const { name, bytes } = post();
    connection.send(bytes);
    for (let answer = 0; answer < 32; answer += 1) expect((await connection.receive()).status).toBe(401);
    expect(await connection.untilClosed()).toBe(true);
    await expectNothingOf(name);
  });

  it('the answers reach a client that goes on sending and reads late', async () => {
    const connection = await RawConnection.open(served.service.url, { paused: true });
    const request = 'GET /v1/pets HTTP/1.1\r\nHost: h\r\n\r\n';
    connection.send(request.repeat(32));
    while ((await metricValue(served.service.managementUrl, 'http_server_active_requests')) > 0);
    for (let more = 0; more < 20; more += 1) {
      connection.send(request.repeat(100));
      await sleep(5);
    }
    connection.resume();
    for (let answer = 0; answer < 32; answer += 1) expect((await connection.receive()).status).toBe(401);
    expect(await connection.untilClosed()).toBe(true);
    expect(connection.unread).toBe('');
  });

  it.each(['/openapi.json', '/openapi.yaml', '/docs', '/', '/v1/pets'])(
    'a bad body is no failure of the service, for nobody needs a key to send one: %s',
    async (path) => {
      const connection = await served.connect();
      connection.send(`GET ${path} HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nzz\r\nabc`);
      await connection.receive();
      expect(await connection.untilClosed()).toBe(true);
      // A later request is logged later.
      const later = await served.client.get('/v1/pets');
      const { service } = served;
      await service.untilLogged((line) => line['request_id'] === later.headers.get('x-request-id'));
      expect(service.log.filter(({ level }) => level === 'error')).toEqual([]);
    },
  );

  // Must be the last test, since it aborts requests.
  it.each(['close', 'reset'] as const)(
    'nothing is left of a client that goes before a CONNECT is refused: %s',
    async (go) => {
      const connection = await served.connect();
      connection.send(served.bytes('GET /v1/pets').toString().repeat(20) + tunnel);
      // Once this answer is here, the service has read everything.
      await connection.receive();
      connection[go]();
      await untilIdle();
      expect((await served.client.get('/v1/pets')).status).toBe(200);
    },
  );
});
