import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import type { TestDatabase } from '../support/database.js';
import { onEachEngine } from '../support/engines.js';
import { HttpClient } from '../support/http.js';
import { buildGuide } from '../support/guide.js';
import { runIn, runNodeTests } from '../support/packages.js';
import { removeScratch, scratchFolder } from '../support/scratch.js';
import { Service } from '../support/service.js';

let folder: string;

beforeAll(async () => {
  folder = scratchFolder('guide');
  await buildGuide(folder);
});

afterAll(() => removeScratch(folder));

onEachEngine('the feature of docs/extending/guide.md', (engine) => {
  let database: TestDatabase;
  let service: Service;
  let client: HttpClient;

  beforeAll(async () => {
    database = await engine.createDatabase();
    service = await Service.start({ database, program: join(folder, 'dist/main.js') });
    client = new HttpClient(service.url, await storeKey(database));
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  it('orders and lists, page by page', async () => {
    const created = await client.post('/v1/store/orders', '{"petId":9007199254740993,"buyer":"Ada"}');
    expect(created.text).toBe('{"petId":9007199254740993,"buyer":"Ada","id":1}');
    await client.post('/v1/store/orders', { petId: 2, buyer: 'Bo' });
    const page = await client.get('/v1/store/orders?limit=1');
    expect(page.text).toBe('[{"id":1,"petId":9007199254740993,"buyer":"Ada"}]');
    expect(page.headers.get('link')).toMatch(/\/v1\/store\/orders\?limit=1&cursor=[^>]+>; rel="next"$/);
  });

  it('has without further code what the page promises', async () => {
    const stranger = new HttpClient(service.url);
    expect(await stranger.get('/v1/store/orders')).toBeErrorShape(401, 'missing_api_key');
    expect(await client.request('DELETE', '/v1/store/orders')).toBeErrorShape(405, 'method_not_allowed');
    expect(await client.post('/v1/store/orders', { petId: 1 })).toBeErrorShape(400, 'missing_field');
    expect(await client.get('/v1/store/orders?of=Ada')).toBeErrorShape(400, 'unknown_parameter');
    expect(await client.get('/openapi.json').then(({ text }) => text)).toContain('"x-stability": "beta"');
  });

  it('keeps Idempotency-Key and its own error code', async () => {
    const order = { petId: 5, buyer: 'Cy' };
    const headers = { 'idempotency-key': 'one' };
    const first = await client.post('/v1/store/orders', order, { headers });
    const again = await client.post('/v1/store/orders', order, { headers });
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await client.post('/v1/store/orders', { ...order, petId: 13 })).toBeErrorShape(409, 'pet_reserved');
  });

  it('serves the pets beside it', async () => {
    expect((await client.get('/v1/pets')).text).toBe('[]');
  });
});

it('the metrics of docs/extending/guide.md are exposed, in a test of the feature too', async () => {
  const script = `
    import { Module } from '@nestjs/common';
    import { defineFeature } from 'animal-store';
    import { startTestApplication } from 'animal-store/testing';
    import { OrderMetrics } from './dist/orders/order-metrics.js';
    class OrdersModule {}
    Module({ providers: [OrderMetrics] })(OrdersModule);
    const orders = defineFeature({ name: 'orders', platform: '^1.0.0', module: OrdersModule });
    const application = await startTestApplication({ features: [orders] });
    application.get(OrderMetrics).refused.inc({ reason: 'pet_reserved' });
    const metrics = await fetch(application.managementUrl + '/metrics');
    process.stdout.write(await metrics.text());
    await application.stop();`;
  const printed = await runIn(folder, process.execPath, '--input-type=module', '-e', script);
  expect(printed).toContain('\norders_refused_total{reason="pet_reserved"} 1\n');
});

it('the tests of docs/extending/guide.md pass', async () => {
  expect(await runNodeTests(folder)).toMatch(/pass 3\n.*fail 0\n/);
});

it('the policy and the look-up of docs/extending/guide.md do what the page says', async () => {
  const script = `
    import { Module } from '@nestjs/common';
    import { defineFeature, pets } from 'animal-store';
    import { startTestApplication } from 'animal-store/testing';
    import { OwnPets } from './dist/orders/own-pets.js';
    import { OrderablePets, OrderablePetsModule } from './dist/orders/pets-in-orders.js';
    const said = [];
    for (const providers of [[], [OwnPets]]) {
      class OrdersModule {}
      Module({ imports: [OrderablePetsModule], providers })(OrdersModule);
      const orders = defineFeature({ name: 'orders', platform: '^1.0.0', module: OrdersModule });
      const application = await startTestApplication({ features: [pets, orders] });
      await application.client.post('/v1/pets', { name: 'Rex', categoryId: 7 });
      const list = await application.client.get('/v1/pets');
      const orderable = application.get(OrderablePets);
      said.push([list.json().length, await orderable.isThere(1n), await orderable.isThere(2n)]);
      await application.stop();
    }
    process.stdout.write(JSON.stringify(said));`;
  const printed = await runIn(folder, process.execPath, '--input-type=module', '-e', script);
  // With the policy OwnPets, the client of the test kit sees no pet: its name names no category.
  expect(JSON.parse(printed)).toStrictEqual([
    [1, true, false],
    [0, false, false],
  ]);
});
