import { pets } from 'animal-store';
import { assertError, assertPlatformRules, startTestApplication, type TestApplication } from 'animal-store/testing';
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { orders } from './orders.feature.js';

describe('orders', () => {
  let application: TestApplication;

  before(async () => {
    application = await startTestApplication({ features: [pets, orders], server: process.env['TEST_DATABASE_URL'] });
  });

  beforeEach(async () => {
    await application.reset();
    await application.client.post('/v1/pets', { name: 'Rex', categoryId: 7 });
    await application.client.post('/v1/pets', { name: 'Tux', categoryId: 7, status: 'sold' });
  });

  after(() => application.stop());

  it('keep the rules of the platform', () => assertPlatformRules(application, orders));

  it('are placed for a pet that can be had', async () => {
    const { client } = application;
    const placed = await client.post('/v1/store/orders', { petId: 1, quantity: 2 });
    assert.equal(placed.status, 201);
    assert.partialDeepStrictEqual(placed.json(), { petId: 1, quantity: 2, status: 'placed' });
    assertError(await client.post('/v1/store/orders', { petId: 2 }), 409, 'ordered_pet_sold');
    assertError(await client.post('/v1/store/orders', { petId: 3 }), 422, 'ordered_pet_missing');
  });

  it('are listed page by page, of one status', async () => {
    for (const quantity of [1, 2]) await application.client.post('/v1/store/orders', { petId: 1, quantity });
    const page = await application.client.get('/v1/store/orders?limit=1&status=placed');
    assert.equal((page.json() as unknown[]).length, 1);
    assert.match(page.headers.get('link') ?? '', /limit=1&status=placed&cursor=[^>]+>; rel="next"/);
    assert.deepEqual((await application.client.get('/v1/store/orders?status=delivered')).json(), []);
  });
});
