import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import type { TestDatabase } from '../support/database.js';
import { onEachEngine } from '../support/engines.js';
import { hosting } from '../support/hosting.js';
import { HttpClient } from '../support/http.js';
import { Service } from '../support/service.js';

/** The routes of test/support/features/shelves.feature.ts and of `pets`. Only `/shelves/open` is @Public. */
const CLOSED = [
  ['GET', '/v1/pets'],
  ['POST', '/v1/pets'],
  ['GET', '/v1/pets/1'],
  ['GET', '/v1/shelves'],
  ['POST', '/v1/shelves'],
  ['GET', '/v1/shelves/1'],
  ['PUT', '/v1/shelves/1'],
  ['PATCH', '/v1/shelves/1'],
  ['DELETE', '/v1/shelves/1'],
  ['GET', '/v1/shelves/1/boxes'],
  ['GET', '/v1/labels'],
  ['GET', '/v1/ladders'],
] as const;

interface Operation {
  readonly operationId?: string;
  readonly security?: readonly object[];
}

onEachEngine('a feature from outside that names no key', (engine) => {
  let database: TestDatabase;
  let service: Service;
  let key: string;

  beforeAll(async () => {
    database = await engine.createDatabase();
    service = await Service.start({
      database,
      ...hosting({ features: ['features/shelves.feature.ts'], env: { AUTH_FAILURES_PER_MINUTE: '0' } }),
    });
    key = await storeKey(database);
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  it.each(CLOSED)('%s %s is closed without a key, open with one', async (method, path) => {
    const stranger = new HttpClient(service.url);
    expect(await stranger.request(method, path)).toBeErrorShape(401, 'missing_api_key');
    expect(await new HttpClient(service.url, 'wrong').request(method, path)).toBeErrorShape(401, 'invalid_api_key');
    const { status } = await new HttpClient(service.url, key).request(method, path);
    expect([401, 403, 405]).not.toContain(status);
    expect(status).toBeLessThan(500);
  });

  it('HEAD /v1/shelves/weight is closed too', async () => {
    expect((await new HttpClient(service.url).request('HEAD', '/v1/shelves/weight')).status).toBe(401);
    expect((await new HttpClient(service.url, key).request('HEAD', '/v1/shelves/weight')).status).toBe(200);
  });

  it('lets anybody in where it is @Public', async () => {
    const answer = await new HttpClient(service.url).get('/v1/shelves/open');
    expect([answer.status, answer.text]).toEqual([200, '{"open":true}']);
    expect((await new HttpClient(service.url, 'wrong').get('/v1/shelves/open')).status).toBe(200);
  });

  it.each([
    ['PUT', '/v1/pets', 'GET, HEAD, OPTIONS, POST'],
    ['DELETE', '/v1/pets/1', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/v1/shelves', 'GET, HEAD, OPTIONS, POST'],
    ['POST', '/v1/shelves/1', 'DELETE, GET, HEAD, OPTIONS, PATCH, PUT'],
    ['POST', '/v1/shelves/open', 'GET, HEAD, OPTIONS'],
    ['POST', '/v1/shelves/1/boxes', 'GET, HEAD, OPTIONS'],
    ['POST', '/v1/labels', 'GET, HEAD, OPTIONS'],
    ['POST', '/v1/ladders', 'GET, HEAD, OPTIONS'],
    ['QUERY', '/v1/labels', 'GET, HEAD, OPTIONS'],
  ])('%s %s is 405 and OPTIONS says what is not, without a key', async (method, path, allow) => {
    const stranger = new HttpClient(service.url);
    const refused = await stranger.request(method, path);
    expect(refused).toBeErrorShape(405, 'method_not_allowed');
    expect(refused.headers.get('allow')).toBe(allow);
    const options = await stranger.request('OPTIONS', path);
    expect([options.status, options.headers.get('allow'), options.text]).toEqual([204, allow, '']);
  });

  it('documents every one of its routes, closed but for the public one', async () => {
    const document = (await new HttpClient(service.url).get('/openapi.json')).json() as {
      readonly paths: Record<string, Record<string, Operation>>;
    };
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([, value]) => value.operationId !== undefined)
        .map(([method, { operationId, security }]) => ({ method, path, operationId, security })),
    );
    const ids = operations.map(({ operationId }) => operationId);
    for (const id of ['listShelves', 'getShelf', 'removeShelf', 'listBoxes', 'listLabels', 'listLadders']) {
      expect(ids).toContain(id);
    }
    const stranger = new HttpClient(service.url);
    for (const { method, path, operationId } of operations.filter(({ operationId: id }) => id !== 'openShelf')) {
      const concrete = `/v1${path.replace(/\{\w+\}/g, '1')}`;
      expect([operationId, (await stranger.request(method.toUpperCase(), concrete)).status]).toStrictEqual([
        operationId,
        401,
      ]);
    }
  });
});
