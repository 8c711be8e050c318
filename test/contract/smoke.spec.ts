import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { TestDatabase } from '../support/database.js';
import { onEachEngine } from '../support/engines.js';
import { HttpClient } from '../support/http.js';
import { exchangeRaw } from '../support/raw-http.js';
import { Service } from '../support/service.js';

/** Beyond 2^53, so a JavaScript double would change it. */
const CATEGORY = '9007199254740993';

onEachEngine('the three operations', (engine) => {
  let database: TestDatabase;
  let service: Service;
  let key: string;

  beforeAll(async () => {
    database = await engine.createDatabase();
    service = await Service.start({ database });
    key = await service.createKey();
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  const send = (request: string, body = '') =>
    exchangeRaw(
      service.url,
      `${request} HTTP/1.1\r\nHost: pets.test\r\nAuthorization: Bearer ${key}\r\n` +
        (body === ''
          ? '\r\n'
          : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`),
    );

  it('creates a pet', async () => {
    const created = await send('POST /v1/pets', `{"name":"Lumi ❄","categoryId":${CATEGORY}}`);
    expect(created.statusLine).toBe('HTTP/1.1 201 Created');
    expect(created.headers.get('location')).toMatch(/\/v1\/pets\/1$/);
    expect(created.text).toBe(`{"id":1,"name":"Lumi ❄","categoryId":${CATEGORY},"status":"available"}`);
    expect(await database.query('SELECT id, name, status FROM pet')).toEqual([
      { id: 1n, name: 'Lumi ❄', status: 'available' },
    ]);
  });

  it('lists pets by page', async () => {
    await send('POST /v1/pets', '{"name":"Otso","categoryId":2,"status":"sold"}');
    const first = await send('GET /v1/pets?limit=1');
    expect(first.status).toBe(200);
    expect(first.text).toBe(`[{"id":1,"name":"Lumi ❄","categoryId":${CATEGORY},"status":"available"}]`);
    const next = /^<[^>]*(\/v1\/pets\?[^>]*)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1];
    const second = await send(`GET ${String(next)}`);
    expect(second.text).toBe('[{"id":2,"name":"Otso","categoryId":2,"status":"sold"}]');
    expect(second.headers.get('link')).toBeNull();
  });

  it('fetches a pet', async () => {
    const found = await send('GET /v1/pets/1');
    expect(found.status).toBe(200);
    expect(found.text).toBe(`{"id":1,"name":"Lumi ❄","categoryId":${CATEGORY},"status":"available"}`);
    expect(await send('GET /v1/pets/3')).toBeErrorShape(404, 'pet_not_found');
  });

  it('is closed without a key', async () => {
    const stranger = new HttpClient(service.url);
    expect(await stranger.get('/v1/pets')).toBeErrorShape(401, 'missing_api_key');
    expect(await stranger.post('/v1/pets', { name: 'Otso', categoryId: 1 })).toBeErrorShape(401, 'missing_api_key');
    expect(await stranger.get('/v1/pets/1')).toBeErrorShape(401, 'missing_api_key');
  });
});

onEachEngine('the process', (engine) => {
  it('starts, logs its addresses, and stops with 0 on SIGTERM', async () => {
    const database = await engine.createDatabase();
    const service = await Service.start({ database });
    expect(service.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(service.managementUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    await database.drop();
  });
});
