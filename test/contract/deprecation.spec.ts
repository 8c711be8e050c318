import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import { runCommand } from '../support/command.js';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { onEachEngine } from '../support/engines.js';
import { hosting } from '../support/hosting.js';
import { type Answer, HttpClient } from '../support/http.js';
import { Service } from '../support/service.js';

/** In this time zone a day begins half a day earlier than in UTC, which decides. */
const env = { PUBLIC_BASE_URL: 'https://pets.test/api/v1', TZ: 'Pacific/Auckland' };
const LINKS =
  '<https://pets.test/api/docs#getPet>; rel="deprecation"; type="text/html", <https://pets.test/api/v1/pets>; rel="successor-version"';

function expectAnnounced(answer: Answer, sunset = 'Thu, 05 Dec 2030 00:00:00 GMT'): void {
  expect(answer.headers.get('deprecation')).toBe('@1764892800');
  expect(answer.headers.get('sunset')).toBe(sunset);
  expect(answer.headers.get('link')).toBe(LINKS);
}

function expectNotAnnounced(answer: Answer): void {
  expect([answer.headers.get('deprecation'), answer.headers.get('sunset')]).toEqual([null, null]);
  expect(answer.headers.get('link') ?? '').not.toMatch(/deprecation|successor/);
}

/** The number of uses of the deprecated operation, by the metrics. */
async function countedUses(service: Service): Promise<number> {
  const { text } = await new HttpClient(service.managementUrl).get('/metrics');
  return Number(
    /^animal_store_deprecated_requests_total\{http_route="\/v1\/pets\/\{petId\}"\} (\d+)$/m.exec(text)?.[1] ?? 0,
  );
}

onEachEngine('the deprecated operation', (engine) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await engine.createDatabase();
  });

  afterAll(() => database.drop());

  describe('before its sunset', () => {
    let service: Service;
    let client: HttpClient;

    beforeAll(async () => {
      service = await Service.start({ database, env });
      client = new HttpClient(service.url, await storeKey(database));
      await client.post('/v1/pets', { name: 'Lumi', categoryId: 1 });
    });

    afterAll(() => service.stop());

    it('says on every answer of its path when it goes', async () => {
      const stranger = new HttpClient(service.url);
      const reader = new HttpClient(service.url, await storeKey(database, { scopes: ['pets:write'] }));
      const found = await client.get('/v1/pets/1');
      const answers: (readonly [number, Answer])[] = [
        [200, found],
        [200, await client.request('HEAD', '/v1/pets/1')],
        [304, await client.get('/v1/pets/1', { headers: { 'if-none-match': found.headers.get('etag') ?? '' } })],
        [404, await client.get('/v1/pets/999')],
        [404, await client.get('/v1/pets/abc')],
        [401, await stranger.get('/v1/pets/1')],
        [401, await new HttpClient(service.url, 'wrong').get('/v1/pets/1')],
        [403, await reader.get('/v1/pets/1')],
        [405, await client.request('DELETE', '/v1/pets/1')],
        [204, await stranger.request('OPTIONS', '/v1/pets/1')],
        [406, await client.get('/v1/pets/1', { headers: { accept: 'text/html' } })],
        [400, await client.get('/v1/pets/1?x=1')],
        [400, await client.get('/v1/pets/%FF')],
        [400, await client.request('DELETE', '/v1/pets/%FF')],
        [414, await client.get(`/v1/pets/${'1'.repeat(9000)}`)],
        [431, await client.get('/v1/pets/1', { headers: { 'x-long': 'x'.repeat(17_000) } })],
      ];
      for (const [status, answer] of answers) {
        expect(answer.status).toBe(status);
        expectAnnounced(answer);
      }
    });

    it('says so on no other answer', async () => {
      for (const answer of [
        await client.get('/v1/pets'),
        await client.post('/v1/pets', {}),
        await client.request('DELETE', '/v1/pets'),
        await client.get('/v1/pets/1/2'),
        await client.get('/v1/pets/'),
      ]) {
        expectNotAnnounced(answer);
      }
    });

    it('counts each use, and nothing that never came to one', async () => {
      const before = await countedUses(service);
      await client.get('/v1/pets/1');
      await client.get('/v1/pets/999');
      await client.request('HEAD', '/v1/pets/1');
      expect(await countedUses(service)).toBe(before + 3);
      await new HttpClient(service.url).get('/v1/pets/1');
      await client.request('DELETE', '/v1/pets/1');
      await client.get('/v1/pets');
      expect(await countedUses(service)).toBe(before + 3);
    });
  });

  it('works until the last millisecond before', async () => {
    const service = await Service.start({ database, ...hosting({ env, now: '2030-12-04T23:59:59.999Z' }) });
    const client = new HttpClient(service.url, await storeKey(database));
    const found = await client.get('/v1/pets/1');
    expect(found.status).toBe(200);
    expectAnnounced(found);
    const created = await client.post('/v1/pets', { name: 'Otso', categoryId: 1 });
    expect(created.headers.get('location')).toMatch(/^https:\/\/pets\.test\/api\/v1\/pets\/\d+$/);
    await service.stop();
  });

  it('is gone from the first on, after authentication, with its links; nothing points to it any more', async () => {
    const service = await Service.start({ database, ...hosting({ env, now: '2030-12-05T00:00:00Z' }) });
    const client = new HttpClient(service.url, await storeKey(database));
    for (const path of ['/v1/pets/1', '/v1/pets/999', '/v1/pets/abc', '/v1/pets/1?x=1']) {
      const gone = await client.get(path);
      expect(gone).toBeErrorShape(410, 'operation_removed');
      expectAnnounced(gone);
    }
    expect(await client.get('/v1/pets/1', { headers: { accept: 'text/html' } })).toBeErrorShape(
      410,
      'operation_removed',
    );
    const stranger = await new HttpClient(service.url).get('/v1/pets/1');
    expect(stranger).toBeErrorShape(401, 'missing_api_key');
    expectAnnounced(stranger);
    const writer = new HttpClient(service.url, await storeKey(database, { scopes: ['pets:write'] }));
    expect(await writer.get('/v1/pets/1')).toBeErrorShape(403, 'insufficient_scope');
    expect(await client.request('PUT', '/v1/pets/1')).toBeErrorShape(405, 'method_not_allowed');
    const created = await client.post('/v1/pets', { name: 'Rex', categoryId: 1 });
    expect([created.status, created.headers.get('location')]).toEqual([201, null]);
    expect((await client.get('/v1/pets')).status).toBe(200);
    expect(await countedUses(service)).toBe(0);
    await service.stop();
  });
});

describe('GET_PET_SUNSET', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createSqliteDatabase();
  });

  afterAll(() => database.drop());

  it('moves the day', async () => {
    const later = { ...env, GET_PET_SUNSET: '2031-02-28' };
    const service = await Service.start({ database, ...hosting({ env: later, now: '2031-02-27T23:59:59Z' }) });
    const client = new HttpClient(service.url, await storeKey(database));
    const answer = await client.get('/v1/pets/1');
    expect(answer).toBeErrorShape(404, 'pet_not_found');
    expectAnnounced(answer, 'Fri, 28 Feb 2031 00:00:00 GMT');
    const documents = [
      (await client.get('/openapi.json')).text,
      (await runCommand(database, ['openapi'], later)).stdout,
    ];
    for (const document of documents) {
      expect(document).toContain('"x-deprecated-sunset": "2031-02-28"');
      expect(document).toContain('To be removed on 2031-02-28.');
      expect(document).not.toContain('2030-12-05');
    }
    await service.stop();

    const sooner = await Service.start({ database, env: { ...env, GET_PET_SUNSET: '2020-01-01' } });
    const gone = await new HttpClient(sooner.url, await storeKey(database)).get('/v1/pets/1');
    expect(gone).toBeErrorShape(410, 'operation_removed');
    expectAnnounced(gone, 'Wed, 01 Jan 2020 00:00:00 GMT');
    await sooner.stop();
  });

  it('must be a day', async () => {
    const service = Service.launch({ database, env: { GET_PET_SUNSET: '2031-02-29' } });
    expect((await service.exited).code).toBe(78);
    expect(service.output).toMatch(/GET_PET_SUNSET: must be a date, YYYY-MM-DD/);
  });

  it('for an unknown operation changes nothing, and is logged once at the start', async () => {
    const service = await Service.start({
      database,
      env: { GET_CAT_SUNSET: '2020-01-01', LIST_PETS_SUNSET: '2020-01-01' },
    });
    const warnings = service.log.filter(({ event }) => event === 'config.warning').map(({ msg }) => msg);
    expect(warnings).toStrictEqual([
      'GET_CAT_SUNSET is the date of no deprecated operation.',
      'LIST_PETS_SUNSET is the date of no deprecated operation.',
    ]);
    const client = new HttpClient(service.url, await storeKey(database));
    expect((await client.get('/v1/pets')).status).toBe(200);
    await service.stop();
  });
});
