import { assertError, assertPlatformRules, startTestApplication, type TestApplication } from 'animal-store/testing';
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { things } from './things.feature.js';

describe('things', () => {
  let application: TestApplication;

  before(async () => {
    // The URL of a MySQL or MariaDB server. Default: a database in memory.
    application = await startTestApplication({ features: [things], server: process.env['TEST_DATABASE_URL'] });
  });

  beforeEach(() => application.reset());

  after(() => application.stop());

  it('keeps the rules of the platform', () => assertPlatformRules(application, things));

  it('adds, fetches and lists', async () => {
    const { client } = application;
    const created = await client.post('/v1/things', { name: 'Rex' });
    assert.equal(created.status, 201);
    assert.deepEqual(created.json(), { id: 1, name: 'Rex' });
    await client.post('/v1/things', { name: 'Tux' });
    assert.deepEqual((await client.get('/v1/things/1')).json(), { id: 1, name: 'Rex' });
    const page = await client.get('/v1/things?limit=1');
    assert.equal((page.json() as unknown[]).length, 1);
    assert.match(page.headers.get('link') ?? '', /limit=1&cursor=[^>]+>; rel="next"/);
  });

  it('answers 404 for an unknown id', async () => {
    assertError(await application.client.get('/v1/things/9007199254740993'), 404, 'thing_not_found');
  });
});
