import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { buildGuide } from '../support/guide.js';
import { HttpClient } from '../support/http.js';
import { buildPackage } from '../support/packages.js';
import { removeScratch, scratchFolder } from '../support/scratch.js';
import { Service } from '../support/service.js';

interface Running {
  readonly service: Service;
  stop(): Promise<unknown>;
  /** The base URL of /readyz. */
  readonly probes: string;
  /** One key with both scopes, and one that may only read. */
  readonly keys: readonly [all: string, reader: string];
}

let workshop: string;

beforeAll(() => {
  workshop = scratchFolder('same');
});

afterAll(() => removeScratch(workshop));

/** The feature of docs/extending/guide.md on the platform. */
async function startFeature(database: TestDatabase): Promise<Running> {
  const folder = join(workshop, 'guide');
  await buildGuide(folder);
  const service = await Service.start({ database, program: join(folder, 'dist/main.js') });
  const reader = await storeKey(database, { client: 'reader', scopes: ['orders:read'] });
  return {
    service,
    stop: () => service.stop(),
    probes: service.managementUrl,
    keys: [await storeKey(database), reader],
  };
}

/** The same application without the platform: bench/plain-nest. */
async function startPlain(database: TestDatabase): Promise<Running> {
  const folder = await buildPackage('bench/plain-nest', workshop);
  const scopes = { all: ['orders:read', 'orders:write'], reader: ['orders:read'] };
  const hashed = Object.entries(scopes).map(([key, list]) => [createHash('sha256').update(key).digest('hex'), list]);
  const env = { API_KEYS: JSON.stringify(Object.fromEntries(hashed)) };
  const service = await Service.start({ database, program: join(folder, 'dist/main.js'), env });
  // Nest's shutdown hooks end the process with the signal that it received.
  return { service, stop: () => service.kill('SIGTERM'), probes: service.url, keys: ['all', 'reader'] };
}

describe.each([
  ['the feature of docs/extending/guide.md', startFeature],
  ['bench/plain-nest', startPlain],
])('%s', (_name, start) => {
  let database: TestDatabase;
  let running: Running;
  let client: HttpClient;

  beforeAll(async () => {
    database = await createSqliteDatabase();
    running = await start(database);
    client = new HttpClient(running.service.url, running.keys[0]);
  });

  afterAll(async () => {
    await running.stop();
    await database.drop();
  });

  it('creates, exactly', async () => {
    const created = await client.post('/v1/store/orders', '{"petId":9007199254740993,"buyer":"Ada"}');
    expect(created.status).toBe(201);
    expect(created.json()).toEqual({ id: 1, petId: 9007199254740993n, buyer: 'Ada' });
  });

  it('lists page by page', async () => {
    await client.post('/v1/store/orders', { petId: 2, buyer: 'Bo' });
    const first = await client.get('/v1/store/orders?limit=1');
    expect(first.json()).toEqual([{ id: 1, petId: 9007199254740993n, buyer: 'Ada' }]);
    const next = /^<[^>]*(\/v1\/store\/orders\?[^>]*)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1];
    const second = await client.get(String(next));
    expect(second.json()).toEqual([{ id: 2, petId: 2, buyer: 'Bo' }]);
    expect(second.headers.get('link')).toBeNull();
  });

  it('is closed', async () => {
    const stranger = new HttpClient(running.service.url);
    const none = await stranger.get('/v1/store/orders');
    expect(none).toBeErrorShape(401, 'missing_api_key');
    expect(none.headers.get('www-authenticate')).toBe('Bearer realm="animal-store"');
    expect(await new HttpClient(running.service.url, 'no').get('/v1/store/orders')).toBeErrorShape(
      401,
      'invalid_api_key',
    );
    const reader = new HttpClient(running.service.url, running.keys[1]);
    expect((await reader.get('/v1/store/orders')).status).toBe(200);
    expect(await reader.post('/v1/store/orders', { petId: 1, buyer: 'Cy' })).toBeErrorShape(403, 'insufficient_scope');
  });

  it.each([
    ['{"petId":1}', 'missing_field'],
    ['{"petId":1,"buyer":"Cy","id":7}', 'unknown_field'],
    ['{"petId":"1","buyer":"Cy"}', 'invalid_field'],
    ['{"petId":1.5,"buyer":"Cy"}', 'invalid_field'],
    ['{"petId":9223372036854775808,"buyer":"Cy"}', 'invalid_field'],
    ['{"petId":1,"buyer":" "}', 'invalid_field'],
    ['{"petId":1', 'invalid_json'],
  ])('refuses the body %s', async (body, code) => {
    expect(await client.post('/v1/store/orders', body)).toBeErrorShape(400, code);
  });

  it.each([
    ['limit=0', 'invalid_parameter'],
    ['limit=1e1', 'invalid_parameter'],
    ['of=Ada', 'unknown_parameter'],
    ['cursor=x', 'invalid_cursor'],
  ])('refuses the query %s', async (query, code) => {
    expect(await client.get(`/v1/store/orders?${query}`)).toBeErrorShape(400, code);
  });

  it('answers other methods and other paths in the one shape', async () => {
    const wrong = await client.request('DELETE', '/v1/store/orders');
    expect(wrong).toBeErrorShape(405, 'method_not_allowed');
    expect(wrong.headers.get('allow')).toContain('GET, HEAD');
    expect(await client.get('/v1/store/nothing')).toBeErrorShape(404, 'route_not_found');
  });

  it('keeps Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'one' };
    const first = await client.post('/v1/store/orders', { petId: 5, buyer: 'Di' }, { headers });
    const again = await client.post('/v1/store/orders', { petId: 5, buyer: 'Di' }, { headers });
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true']);
    const other = await client.post('/v1/store/orders', { petId: 6, buyer: 'Di' }, { headers });
    expect(other).toBeErrorShape(422, 'idempotency_key_reused');
  });

  it('is documented, and says that it is ready', async () => {
    const document = (await new HttpClient(running.service.url).get('/openapi.json')).text;
    expect(document).toContain('"listOrders"');
    expect(document).toContain('"createOrder"');
    expect((await new HttpClient(running.probes).get('/readyz')).status).toBe(200);
  });
});
