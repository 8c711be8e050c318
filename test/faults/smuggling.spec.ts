import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { haproxyProgram, startHaproxy, type Haproxy } from '../support/haproxy.js';
import { HttpClient } from '../support/http.js';
import { RawConnection } from '../support/raw-http.js';
import { Service } from '../support/service.js';

const BYSTANDER = 'bystander-';
const PET = '{"name":"Otso","categoryId":1}';
const LENGTH = String(PET.length);
const SIZE = PET.length.toString(16);
const CHUNKED = `${SIZE}\r\n${PET}\r\n0\r\n\r\n`;

/** Requests that two parsers may read differently (RFC 9112 §11.2). `KEY` stands for a valid key. */
const FORMS: Readonly<Record<string, string>> = {
  'a length and chunks': post(`Content-Length: ${LENGTH}\r\nTransfer-Encoding: chunked`, CHUNKED),
  'chunks and a length': post(`Transfer-Encoding: chunked\r\nContent-Length: ${LENGTH}`, CHUNKED),
  'a request behind the last chunk of a body with a length': post(
    'Content-Length: 4\r\nTransfer-Encoding: chunked',
    '0\r\n\r\nGET /v1/pets?smuggled HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer KEY\r\n\r\n',
  ),
  'a request within the length of a chunked body': post(
    'Transfer-Encoding: chunked\r\nContent-Length: 70',
    '0\r\n\r\nPOST /v1/pets?smuggled HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabcde',
  ),
  'two lengths': post(`Content-Length: ${LENGTH}\r\nContent-Length: 4`, PET),
  'the same length twice': post(`Content-Length: ${LENGTH}\r\nContent-Length: ${LENGTH}`, PET),
  'a list of lengths': post(`Content-Length: ${LENGTH}, ${LENGTH}`, PET),
  'a length with a sign': post(`Content-Length: +${LENGTH}`, PET),
  'a negative length': post('Content-Length: -1', PET),
  'a space before the colon': post(`Content-Length : ${LENGTH}`, PET),
  'a coding before chunked': post('Transfer-Encoding: gzip, chunked', CHUNKED),
  'a coding after chunked': post('Transfer-Encoding: chunked, identity', CHUNKED),
  'a coding that only looks like chunked': post('Transfer-Encoding: xchunked', CHUNKED),
  'a vertical tab before chunked': post('Transfer-Encoding: \vchunked', CHUNKED),
  'two codings': post('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity', CHUNKED),
  'chunked twice': post('Transfer-Encoding: chunked, chunked', CHUNKED),
  'chunks in HTTP/1.0': post('Transfer-Encoding: chunked', CHUNKED, '1.0'),
  'bare LF after every line': get('X: y').replaceAll('\r\n', '\n'),
  'bare LF after one header': get('X: y\nZ: z'),
  'bare LF in chunks': post('Transfer-Encoding: chunked', CHUNKED.replaceAll('\r\n', '\n')),
  'bare LF in a chunk extension': post('Transfer-Encoding: chunked', `${SIZE};a\nb\r\n${PET}\r\n0\r\n\r\n`),
  'bare CR in a header': get('X: y\rZ: z'),
  'a folded header': get('X: y\r\n z: z'),
  'a header that begins with a space': get(' X: y').replace('Host: a\r\n', ''),
  'NUL in a header': get('X: y\0z'),
  'a chunk size in C notation': post('Transfer-Encoding: chunked', `0x${CHUNKED}`),
  'a chunk size beyond 64 bits': post('Transfer-Encoding: chunked', `fffffffffffffffff\r\n${PET}\r\n0\r\n\r\n`),
  'a chunk that is longer than it says': post('Transfer-Encoding: chunked', `${SIZE}\r\n${PET}XX0\r\n\r\n`),
  'two hosts': get('Host: b'),
};

function post(framing: string, body: string, version = '1.1'): string {
  const headers = `Host: a\r\nAuthorization: Bearer KEY\r\nContent-Type: application/json\r\n${framing}`;
  return `POST /v1/pets HTTP/${version}\r\n${headers}\r\n\r\n${body}`;
}

function get(headers: string): string {
  return `GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer KEY\r\n${headers}\r\n\r\n`;
}

const repliesIn = (bytes: string): number => bytes.match(/HTTP\/1\.[01] \d{3}/g)?.length ?? 0;

describe('request smuggling', () => {
  let database: TestDatabase;
  let service: Service;
  let key: string;

  beforeAll(async () => {
    database = await createSqliteDatabase();
    service = await Service.start({ database });
    key = await storeKey(database);
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  it.each(Object.entries(FORMS))('%s: one 400, and the connection closes', async (_, form) => {
    const connection = await RawConnection.open(service.url);
    connection.send(form.replace('KEY', key));
    expect(await connection.receive()).toBeErrorShape(400, 'bad_request');
    expect(await connection.untilClosed()).toBe(true);
    expect(connection.unread).toBe('');
    expect(await database.query('SELECT id FROM pet')).toEqual([]);
  });

  (haproxyProgram === undefined ? describe.skip : describe)('through haproxy', () => {
    let proxy: Haproxy;

    beforeAll(async () => {
      proxy = await startHaproxy([`server store ${new URL(service.url).host}`]);
    });

    afterAll(async () => {
      await proxy.stop();
    });

    /** Sends two requests on the connections that the proxy shares. Each must get its own answer. */
    async function expectOthersUnharmed(): Promise<void> {
      const bystander = new HttpClient(proxy.url, key);
      for (const turn of ['first', 'second']) {
        const id = `${BYSTANDER}${randomUUID()}`;
        const answer = await bystander.get(`/v1/pets/404?turn=${turn}`, { headers: { 'x-request-id': id } });
        expect(answer.headers.get('x-request-id')).toBe(id);
        expect(answer).toBeErrorShape(400, 'unknown_parameter');
        await service.untilLogged((line) => line['request_id'] === id);
      }
    }

    const requestsOfOthers = (): number =>
      service.log.filter(
        (line) => line['event'] === 'http.request' && !String(line['request_id']).startsWith(BYSTANDER),
      ).length;

    it.each(Object.entries(FORMS))('%s: at most one request, at most one reply', async (_, form) => {
      const before = requestsOfOthers();
      const connection = await RawConnection.open(proxy.url);
      connection.send(form.replace('KEY', key));
      await connection.receive();
      await expectOthersUnharmed();
      expect(repliesIn(connection.unread)).toBe(0);
      expect(requestsOfOthers() - before).toBeLessThanOrEqual(1);
      connection.close();
    });
  });
});
