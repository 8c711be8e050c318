import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import type { TestDatabase } from '../support/database.js';
import { onEachEngine } from '../support/engines.js';
import { HttpClient } from '../support/http.js';
import { Service } from '../support/service.js';

/** Texts that would be executed in a statement, a template, a path or a page. */
const INJECTIONS = [
  `'; DROP TABLE pet; --`,
  `' OR '1'='1`,
  `" OR ""="`,
  `1 OR 1=1`,
  `1; SELECT SLEEP(5)`,
  `') OR SLEEP(5)#`,
  `%' UNION SELECT hash FROM api_key -- `,
  `\\'; DELETE FROM pet; -- `,
  `\\`,
  `'/**/OR/**/1=1`,
  `0x31 || 1`,
  `?`,
  `??`,
  `:id`,
  `@@version`,
  `\`pet\``,
  `\u{1D41A}' OR 1=1`,
  '${7*7}',
  '{{7*7}}',
  '$(id)',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  '[object Object]',
  '{"$gt":""}',
];

onEachEngine('hostile data', (engine) => {
  let database: TestDatabase;
  let service: Service;
  let client: HttpClient;

  beforeAll(async () => {
    database = await engine.createDatabase();
    service = await Service.start({ database });
    client = new HttpClient(service.url, await storeKey(database));
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  const count = async (): Promise<unknown> => (await database.query('SELECT COUNT(*) AS pets FROM pet'))[0]?.['pets'];

  it.each(INJECTIONS)('is a name like any other: %s', async (name) => {
    const before = (await count()) as bigint;
    const created = await client.post('/v1/pets', { name, categoryId: 1 });
    expect(created.status).toBe(201);
    const { id } = created.json() as { id: number };
    expect((await client.get(`/v1/pets/${String(id)}`)).json()).toMatchObject({ id, name });
    expect(await database.query('SELECT name FROM pet WHERE id = ?', [id])).toEqual([{ name }]);
    expect(await count()).toBe(before + 1n);
  });

  it.each(INJECTIONS)('is harmless everywhere else: %s', async (text) => {
    const before = await count();
    const escaped = encodeURIComponent(text);
    expect(await client.get(`/v1/pets?status=${escaped}`)).toBeErrorShape(400, 'invalid_parameter');
    expect(await client.get(`/v1/pets?limit=${escaped}`)).toBeErrorShape(400, 'invalid_parameter');
    expect(await client.get(`/v1/pets?cursor=${escaped}`)).toBeErrorShape(400, 'invalid_cursor');
    expect(await client.get(`/v1/pets/${escaped}`)).toBeErrorShape(404, 'pet_not_found');
    for (const field of ['categoryId', 'status']) {
      const pet = { name: 'Otso', categoryId: 1, [field]: text };
      expect(await client.post('/v1/pets', pet)).toBeErrorShape(400, 'invalid_field');
    }
    expect(await count()).toBe(before);
  });

  it('in a column that the service does not know never leaves it', async () => {
    const { id } = (await client.post('/v1/pets', { name: 'Otso', categoryId: 1 })).json() as { id: number };
    await database.query(`ALTER TABLE pet ADD COLUMN secret VARCHAR(20) DEFAULT 'canary'`);
    expect((await client.get(`/v1/pets/${String(id)}`)).text).not.toContain('canary');
    expect((await client.get('/v1/pets')).text).not.toContain('canary');
  });

  it('that came into the database past the service harms no other request', async () => {
    const { id } = (await client.post('/v1/pets', { name: 'Otso', categoryId: 1 })).json() as { id: number };
    await database.query('UPDATE pet SET status = ?, name = ? WHERE id = ?', ['hostile', '\u0000\r\n\u2028', id]);
    for (const path of [`/v1/pets/${String(id)}`, '/v1/pets?limit=100']) {
      const answer = await client.get(path);
      if (answer.status !== 200) expect(answer).toBeErrorShape(500, 'internal_error');
    }
    expect((await client.get('/v1/pets/1')).status).toBe(200);
    expect((await client.post('/v1/pets', { name: 'Lumi', categoryId: 1 })).status).toBe(201);
  });

  it('that is a URL is never requested', async () => {
    let calls = 0;
    const listener = createServer(() => (calls += 1))
      .unref()
      .listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const url = `http://127.0.0.1:${String((listener.address() as AddressInfo).port)}/`;
    const names = [
      'host',
      'origin',
      'referer',
      'x-forwarded-host',
      'x-original-url',
      'callback',
      'link',
      'traceparent',
    ];
    const headers = Object.fromEntries(names.map((name) => [name, name === 'host' ? new URL(url).host : url]));
    expect((await client.post('/v1/pets', { name: url, categoryId: 1 }, { headers })).status).toBe(201);
    expect((await client.get(`${url}v1/pets`, { headers })).status).toBe(200);
    expect((await client.get(`/v1/pets?url=${url}`, { headers })).status).toBe(400);
    listener.close();
    await once(listener, 'close');
    expect(calls).toBe(0);
  });
});
