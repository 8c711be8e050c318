import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { onEachEngine } from '../support/engines.js';
import { hosting } from '../support/hosting.js';
import { type Answer, HttpClient } from '../support/http.js';
import { complaintsIn, Service } from '../support/service.js';

/** The text that test/support/features/thrower.feature.ts puts into everything that it throws. */
const SECRET = 'canary-4711';
const NOTHING_INSIDE = '{"code":"internal_error","message":"Something went wrong on our side.","status":500}';

const THINGS = [
  'error',
  'string',
  'number',
  'null',
  'undefined',
  'symbol',
  'object',
  'statusOk',
  'statusFound',
  'statusOwn',
  'nestOk',
  'unreadable',
];

onEachEngine('features that throw', (engine) => {
  let database: TestDatabase;
  let service: Service;
  let client: HttpClient;

  beforeAll(async () => {
    database = await engine.createDatabase();
    const features = ['features/thrower.feature.ts', 'features/watcher.feature.ts'];
    service = await Service.start({ database, ...hosting({ features }) });
    client = new HttpClient(service.url, await storeKey(database));
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  function expectNothingInside(answer: Answer): void {
    expect(answer).toBeErrorShape(500, 'internal_error');
    expect(answer.text).toBe(NOTHING_INSIDE);
    expect(JSON.stringify([...answer.headers])).not.toContain(SECRET);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('x-request-id')).not.toBeNull();
  }

  it.each(THINGS)('%s, thrown or rejected with', async (thing) => {
    expectNothingInside(await client.get(`/v1/throws/now/${thing}`));
    expectNothingInside(await client.get(`/v1/throws/soon/${thing}`));
  });

  it.each(THINGS)('%s, thrown by middleware', async (thing) => {
    const thrown = await client.get('/v1/throws/slow', { headers: { 'x-middleware-throws': thing } });
    expectNothingInside(thrown);
    // In Express next() and next(null) mean "continue".
    if (thing === 'null' || thing === 'undefined') return;
    expectNothingInside(await client.get('/v1/throws/slow', { headers: { 'x-middleware-throws': `next:${thing}` } }));
  });

  it('an exception with a status, of whose response a client sees the message alone', async () => {
    for (const answer of [
      await client.get('/v1/throws/now/nestTeapot'),
      await client.get('/v1/throws/slow', { headers: { 'x-middleware-throws': 'nestTeapot' } }),
    ]) {
      expect(answer).toBeErrorShape(418, 'im_a_teapot');
      expect(answer.text).not.toContain(SECRET);
    }
  });

  it('an error of their own, which says what it is', async () => {
    expect(await client.get('/v1/throws/now/own')).toBeErrorShape(409, 'tea_only');
    const headers = { 'x-middleware-throws': 'own' };
    expect(await client.get('/v1/throws/now/own', { headers })).toBeErrorShape(409, 'tea_only');
  });

  it('what a database refuses: no SQL, no value, no name of the engine, in the answer or in the log', async () => {
    const requests = new Set<unknown>();
    for (const path of ['duplicate', 'syntax']) {
      const answer = await client.post(`/v1/throws/${path}`, undefined);
      expectNothingInside(answer);
      requests.add(answer.headers.get('x-request-id'));
    }
    const failed = await service.untilLogged(
      ({ event, err }) => event === 'request.failed' && /SQLITE_ERROR|ER_PARSE_ERROR/.test(JSON.stringify(err)),
    );
    expect(failed).toMatchObject({ level: 'error', feature: 'thrower', err: { type: 'QueryFailedError' } });
    const lines = service.log.filter(({ request_id: request }) => requests.has(request));
    expect(lines.length).toBeGreaterThanOrEqual(requests.size);
    expect(JSON.stringify(lines)).not.toMatch(/canary|SELEKT|INSERT INTO/);
  });

  it('in the midst of a transaction, of which nothing is left', async () => {
    expectNothingInside(await client.post('/v1/throws/half', undefined));
    expect(await database.query('SELECT id FROM widget WHERE id = 2')).toEqual([]);
  });

  it('and serves the others all the while', async () => {
    expect((await client.get('/v1/pets')).status).toBe(200);
    expect((await client.post('/v1/pets', { name: 'Otso', categoryId: 1 })).status).toBe(201);
  });
});

onEachEngine('middleware of a feature', (engine) => {
  let database: TestDatabase;
  let service: Service;
  let client: HttpClient;

  beforeAll(async () => {
    database = await engine.createDatabase();
    service = await Service.start({ database, ...hosting({ features: ['features/watcher.feature.ts'] }) });
    client = new HttpClient(service.url, await storeKey(database));
    for (const name of ['Lumi', 'Otso', 'Rex']) await client.post('/v1/pets', { name, categoryId: 1 });
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  it('sees every request below /v1, whatever becomes of it, without a warning at start', async () => {
    const stranger = new HttpClient(service.url);
    const answers = [
      [await client.get('/v1/pets'), 200],
      [await client.get('/v1/pets/999'), 404],
      [await client.get('/v1/nope'), 404],
      [await client.get('/v1/pets/1/nope'), 404],
      [await client.request('DELETE', '/v1/pets'), 405],
      [await stranger.request('OPTIONS', '/v1/pets'), 204],
      [await stranger.get('/v1/pets'), 401],
      [await client.post('/v1/pets', {}), 400],
    ] as const;
    for (const [answer, status] of answers) {
      expect([answer.status, answer.headers.get('x-watched')]).toEqual([status, 'yes']);
    }
    const ready = service.log.findIndex(({ event }) => event === 'app.ready');
    expect(complaintsIn(service.log.slice(0, ready))).toEqual([]);
  });

  it.each(['assign', 'define'])('cannot replace the query that is validated: %s', async (way) => {
    expect(await client.get('/v1/pets?limit=2', { headers: { 'x-meddle': way } })).toBeErrorShape(
      500,
      'internal_error',
    );
  });

  it('changes the query by rewriting the URL of the request, for validation and links alike', async () => {
    const answer = await client.get('/v1/pets?limit=2', { headers: { 'x-meddle': 'url' } });
    expect(answer.json()).toHaveLength(1);
    expect(answer.headers.get('link')).toMatch(/[?&]limit=1&/);
    const unknown = await client.get('/v1/pets/1?other=2', { headers: { 'x-meddle': 'url' } });
    expect(unknown).toBeErrorShape(400, 'unknown_parameter');
    expect(unknown.text).toMatch(/limit/);
  });
});

describe('a fault that nobody waits for', () => {
  it.each([
    ['rejection', 'rejected later'],
    ['exception', 'thrown later'],
  ])('%s: one fatal line, what is in flight is answered, exit 1', async (kind, message) => {
    const database = await createSqliteDatabase();
    const service = await Service.start({ database, ...hosting({ features: ['features/thrower.feature.ts'] }) });
    const client = new HttpClient(service.url, await storeKey(database));
    const inFlight = client.get('/v1/throws/slow');
    expect((await client.post(`/v1/throws/later/${kind}`, undefined)).status).toBe(201);
    expect((await inFlight).text).toBe('{"slow":true}');
    expect(await service.exited).toEqual({ code: 1, signal: null });
    const fatal = service.log.filter(({ level }) => level === 'fatal');
    expect(fatal).toMatchObject([{ event: 'app.crashed', err: { type: 'Error', message } }]);
    expect(service.log.map(({ event }) => event)).toContain('app.stopped');
    await database.drop();
  });
});

describe('features that may not start', () => {
  it('are reported with all their violations, run none of their code, and the process ends', async () => {
    const database = await createSqliteDatabase();
    const service = Service.launch({ database, ...hosting({ features: ['features/impostor.feature.ts'] }) });
    expect(await service.exited).toEqual({ code: 1, signal: null });
    const [headline, ...violations] = service.output.trim().split('\n');
    expect(headline).toBe('The features cannot start:');
    expect(violations.map((line) => line.replace(/^ {2}- /, ''))).toEqual([
      "feature 'impostor' was built for platform ^2.0.0; this is 1.0.0",
      "feature 'impostor' has NoEntity as an entity, which is no @Entity()",
      "feature 'impostor' has a migration Undated, whose name does not end in the 13 digits of its timestamp",
      "feature 'impostor' provides APP_GUARD in DeepModule, which would change every feature",
      "feature 'impostor' provides APP_PIPE in DeepModule, which would change every feature",
      "feature 'impostor' provides APP_FILTER in DeepModule, which would change every feature",
      "feature 'impostor' provides APP_INTERCEPTOR in DeepModule, which would change every feature",
      "feature 'impostor' has a DataSource of its own, of DeepModule; the service has one: use TypeOrmModule.forFeature",
      "feature 'No Name' has a name that is not lower kebab case",
      "feature 'No Name' names a platform 'latest' that is not a range of versions",
      "name 'impostor' is claimed more than once by feature 'impostor'",
      "scope 'pets:read' is claimed by feature 'pets' and feature 'impostor'",
      "migration 'CreateApiKeys1764201500000' is claimed by the platform and feature 'impostor'",
      "migration 'CreatePets1764201600000' is claimed by feature 'pets' and feature 'impostor'",
      "table 'migration_lock' is claimed by the platform and feature 'impostor'",
      "table 'api_key' is claimed by the platform and feature 'impostor'",
      "table 'pet' is claimed by feature 'pets' and feature 'impostor'",
      "error code 'internal_error' is claimed by the platform and feature 'impostor'",
      "error code 'pet_not_found' is claimed by feature 'pets' and feature 'impostor'",
      "feature 'impostor': OtherPetsController.allPets is a route for the method ALL; declare one for each of GET, HEAD, POST, PUT, PATCH, DELETE",
      "feature 'impostor': OtherPetsController.hiddenPets is left out of the OpenAPI document, which holds every route",
      "feature 'impostor': renamePet needs scope 'cats:read', which no feature declares; add it to its scopes",
      "feature 'impostor': renamePet raises 'unheard_of', which the feature does not declare; add it to its errors",
      "route 'GET /v1/pets' is claimed by feature 'pets' and feature 'impostor'",
      "operationId 'listPets' is claimed by feature 'pets' and feature 'impostor'",
      "'GET /v1/pets/{petId}' of feature 'pets' and 'GET /v1/pets/search' of feature 'impostor' match the same addresses",
      "schema 'Error' is claimed by the platform and feature 'impostor'",
      "schema 'PetStatus' is claimed by feature 'pets' and feature 'impostor'",
      "schema 'Pet' is claimed by feature 'pets' and feature 'impostor'",
    ]);
    await database.drop();
  });
});
