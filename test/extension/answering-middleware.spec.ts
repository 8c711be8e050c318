import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { inventKey, storeKey } from '../support/api-keys.js';
import type { TestDatabase } from '../support/database.js';
import { onEachEngine } from '../support/engines.js';
import { hosting } from '../support/hosting.js';
import { HttpClient } from '../support/http.js';
import { RawConnection } from '../support/raw-http.js';
import { complaintsIn, Service } from '../support/service.js';

const WAYS = ['json', 'redirect', 'pieces', 'flush', 'file', 'throw', 'next'];

onEachEngine('middleware of a feature that answers by itself', (engine) => {
  let database: TestDatabase;
  let service: Service;
  let client: HttpClient;
  let stranger: HttpClient;

  beforeAll(async () => {
    database = await engine.createDatabase();
    const host = hosting({ features: ['features/attic.feature.ts'], env: { RATE_LIMIT_PER_MINUTE: '1000' } });
    service = await Service.start({ database, ...host });
    client = new HttpClient(service.url, await storeKey(database));
    stranger = new HttpClient(service.url);
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  it.each(WAYS)('answers whoever has a key: %s', async (way) => {
    const answer = await client.get('/v1/attic/box', { headers: { 'x-attic': way } });
    const status = { json: 203, redirect: 302, throw: 409, next: 409 }[way] ?? 200;
    expect([answer.status, answer.headers.get('x-attic')]).toStrictEqual([status, 'seen']);
    if (status === 409) expect(answer).toBeErrorShape(409, 'conflict');
    else if (way !== 'redirect') expect(answer.text).toContain('middleware');
    expect(answer.headers.get('x-request-id')).not.toBeNull();
  });

  it.each(WAYS)('answers nobody without one, with a wrong one, or one that lacks the scope: %s', async (way) => {
    const headers = { 'x-attic': way };
    const wrong = new HttpClient(service.url, `${await storeKey(database)}x`);
    const reader = new HttpClient(service.url, await storeKey(database, { scopes: ['attic:read'] }));
    for (const [answer, status, code] of [
      [await stranger.get('/v1/attic/box', { headers }), 401, 'missing_api_key'],
      [await stranger.get('/v1/nothing/here', { headers }), 401, 'missing_api_key'],
      [await stranger.request('HEAD', '/v1/attic/box', { headers }), 401, undefined],
      [await wrong.get('/v1/attic/box', { headers }), 401, 'invalid_api_key'],
      [await reader.post('/v1/attic/box', undefined, { headers }), 403, 'insufficient_scope'],
    ] as const) {
      expect(answer.status).toBe(status);
      if (code !== undefined) expect(answer).toBeErrorShape(status, code);
      expect(answer.text).not.toContain('middleware');
      expect([answer.headers.get('location'), answer.headers.get('etag')]).toStrictEqual([null, null]);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer realm="animal-store"/);
    }
    await service.untilLogged(({ event, reason }) => event === 'auth.failed' && reason === 'insufficient_scope');
  });

  it('serves files with a key only, and what is none there is the one 404', async () => {
    const path = '/v1/attic/files/attic.feature.ts';
    expect((await client.get(path)).text).toContain('class AtticModule');
    expect(await stranger.get(path)).toBeErrorShape(401, 'missing_api_key');
    expect(await stranger.get(path, { headers: { 'if-none-match': '*', range: 'bytes=0-9' } })).toBeErrorShape(
      401,
      'missing_api_key',
    );
    for (const who of [client, stranger]) {
      expect(await who.get('/v1/attic/files/none.ts')).toBeErrorShape(404, 'route_not_found');
      expect(await who.get('/v1/nothing/here')).toBeErrorShape(404, 'route_not_found');
    }
  });

  it('answers everybody where the operation is open', async () => {
    const answer = await stranger.get('/v1/attic/door', { headers: { 'x-attic': 'json' } });
    expect([answer.status, answer.json()]).toStrictEqual([203, { by: 'middleware' }]);
  });

  it('comes before a broken body is refused, and nothing of that request is done', async () => {
    const broken = async (request: string, key: string | undefined, way = ''): Promise<number> => {
      const lines = [`${request} HTTP/1.1`, 'Host: h', 'Transfer-Encoding: chunked', `X-Attic: ${way}`];
      if (key !== undefined) lines.push(`Authorization: Bearer ${key}`);
      const connection = await RawConnection.open(service.url);
      connection.send(`${lines.join('\r\n')}\r\n\r\nzz\r\nabc`);
      const { status } = await connection.receive();
      expect(await connection.untilClosed()).toBe(true);
      expect(connection.unread).toBe('');
      return status;
    };
    const [key, reader] = [await storeKey(database), await storeKey(database, { scopes: ['attic:read'] })];
    expect(await broken('DELETE /v1/attic/box', undefined)).toBe(401);
    expect(await broken('DELETE /v1/attic/box', inventKey())).toBe(401);
    expect(await broken('DELETE /v1/attic/box', reader)).toBe(403);
    expect(await broken('DELETE /v1/attic/box', key)).toBe(400);
    expect(await broken('DELETE /v1/attic/shelf', key)).toBe(400);
    expect(await broken('POST /v1/attic/box', reader, 'body')).toBe(403);
    expect(await broken('POST /v1/attic/box', key, 'body')).toBe(400);
    expect(await broken('POST /v1/attic/box', key, 'json')).toBe(203);
    expect((await client.request('DELETE', '/v1/attic/box')).json()).toStrictEqual({ times: 1 });
  });

  it('is counted once, whoever answers', async () => {
    const left = async (headers: Record<string, string>): Promise<number> => {
      await client.get('/v1/attic/box', { headers });
      const answer = await client.get('/v1/attic/box');
      return Number(/r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1]);
    };
    const [first, second, third] = [await left({}), await left({ 'x-attic': 'json' }), await left({})];
    expect([first - second, second - third]).toStrictEqual([2, 2]);
  });

  it('leaves the service as it was', async () => {
    expect((await client.get('/v1/attic/box')).json()).toStrictEqual({ by: 'handler' });
    expect(complaintsIn(service.log).filter(({ event }) => event !== 'auth.failed')).toStrictEqual([]);
  });
});
