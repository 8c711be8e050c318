import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import { projectFolder } from '../support/command.js';
import type { TestDatabase } from '../support/database.js';
import { onEachEngine } from '../support/engines.js';
import { HttpClient } from '../support/http.js';
import { oldNode } from '../support/old-node.js';
import { buildPackage, install, pack, runIn, runNodeTests } from '../support/packages.js';
import { removeScratch, scratchFolder } from '../support/scratch.js';
import { Service } from '../support/service.js';

/** A feature whose response class has no decorators. */
const LABEL_TEST = `
import { Controller, Get, Module } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { defineFeature } from 'animal-store';
import { startTestApplication } from 'animal-store/testing';
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { LabelDto } from './label.dto.js';

@Controller('labels')
class LabelsController {
  @Get()
  @ApiOkResponse({ type: LabelDto })
  label(): LabelDto {
    return { text: 'Ball' };
  }
}

@Module({ controllers: [LabelsController] })
class LabelsModule {}

const labels = defineFeature({ name: 'labels', platform: '^1.0.0', module: LabelsModule });

it('documents a class without decorators', async () => {
  const application = await startTestApplication({ features: [labels] });
  const { components } = (await application.anonymous.get('/openapi.json')).json() as {
    components: { schemas: Record<string, object> };
  };
  await application.stop();
  assert.deepEqual(components.schemas['LabelDto'], {
    type: 'object',
    properties: { text: { type: 'string' }, lines: { type: 'number' } },
    required: ['text'],
  });
});
`;

/** Another team's folder, into which npm installed the package and the example's package. */
let consumer: string;
let workshop: string;
let example: string;

beforeAll(async () => {
  consumer = scratchFolder('consumer');
  workshop = scratchFolder('workshop');
  example = await buildPackage('examples/store-orders', workshop);
  const [store, orders] = await Promise.all([pack(projectFolder, workshop), pack(example, workshop)]);
  await install(consumer, store, orders, 'typescript@6', '@types/node@24', '@nestjs/cli@12');
  writeFileSync(
    join(consumer, 'main.mjs'),
    `import { pets, runService } from 'animal-store';
     import { orders } from 'store-orders';
     await runService([pets, orders]);`,
  );
  writeFileSync(
    join(consumer, 'main.cjs'),
    `const { pets, runService } = require('animal-store');
     const { orders } = require('store-orders');
     void runService([pets, orders]);`,
  );
}, 300_000);

afterAll(() => {
  removeScratch(consumer);
  removeScratch(workshop);
});

describe('the example', () => {
  it('passes its own tests', async () => {
    expect(await runNodeTests(example)).toMatch(/fail 0\n/);
  });
});

describe('the installed package', () => {
  it('brings one copy of each peer', () => {
    const lock = JSON.parse(readFileSync(join(consumer, 'package-lock.json'), 'utf8')) as { packages: object };
    const places = Object.keys(lock.packages).map((place) => place.split('node_modules/').slice(1));
    const peers = ['@nestjs/common', '@nestjs/core', '@nestjs/swagger', 'reflect-metadata', 'rxjs', 'typeorm'];
    for (const peer of peers) {
      expect(places.filter((place) => place.at(-1) === peer)).toEqual([[peer]]);
    }
  });

  it('writes a feature that passes its tests, as a package of its own', async () => {
    const store = join(consumer, 'node_modules/.bin/animal-store');
    expect(await runIn(consumer, store, 'new', 'feature', 'pet-toys', '--package')).toContain(
      'wrote pet-toys/src/main.ts',
    );
    expect(await runIn(join(consumer, 'pet-toys'), 'npm', 'test')).toMatch(/pass 3\n.*fail 0\n/);
  });

  it('describes the DTOs of a generated package as those of the service, by the plugin of @nestjs/swagger', async () => {
    const source = join(consumer, 'pet-toys/src');
    writeFileSync(join(source, 'label.dto.ts'), 'export class LabelDto {\n  text: string;\n  lines?: number;\n}\n');
    writeFileSync(join(source, 'label.test.ts'), LABEL_TEST);
    expect(await runIn(join(consumer, 'pet-toys'), 'npm', 'test')).toMatch(/pass 4\n.*fail 0\n/);
  });

  it('has a schematic of the Nest CLI, which adds the feature to those of the program', async () => {
    const package_ = join(consumer, 'pet-toys');
    const nest = (...args: readonly string[]): Promise<string> =>
      runIn(package_, join(consumer, 'node_modules/.bin/nest'), 'g', '-c', 'animal-store', ...args);
    for (const name of ['returns', 'modules', 'people']) {
      expect(await nest('feature', name, 'more')).toContain(`CREATE src/more/${name}/${name}.feature.ts `);
    }
    const main = readFileSync(join(package_, 'src/main.ts'), 'utf8');
    expect(main).toContain("import { returns } from './more/returns/index.js';");
    expect(main).toContain('runService([pets, petToys, returns, modules, people]);');
    expect(await runIn(package_, 'npm', 'test')).toMatch(/pass 13\n.*fail 0\n/);
    expect(await nest('package', 'carts')).toContain('CREATE carts/src/main.ts ');
    await nest('feature', 'returns', 'more');
    await nest('feature', 'Returns');
    expect(readFileSync(join(package_, 'src/main.ts'), 'utf8')).toBe(main);
  });

  it('tells an old Node what it needs', async () => {
    const { node = process.execPath, env = {} } = oldNode(workshop);
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    await expect(runIn(consumer, 'env', ...variables, node, 'main.mjs')).rejects.toThrow(
      /^Animal Store needs Node\.js 24 or newer; this is v/m,
    );
  });

  it('has its command line', async () => {
    expect(await runIn(consumer, join(consumer, 'node_modules/.bin/animal-store'), '--version')).toBe('1.0.0\n');
  });

  it.each([
    ...['@nestjs/common', '@nestjs/core'].map((name): [string, RegExp] => [
      name,
      new RegExp(`brings its own ${name} [\\d.]+ \\(.*/greedy/node_modules/${name}\\) beside [\\d.]+ \\(`),
    ]),
    ['animal-store', /was not declared by the defineFeature of \/.*\/node_modules\/animal-store; there may be one/],
  ])('refuses a feature that brings its own %s, and says where', async (name, message) => {
    const folder = join(consumer, 'node_modules/greedy');
    cpSync(join(consumer, 'node_modules', name), join(folder, 'node_modules', name), { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "name": "greedy", "type": "module", "exports": "./greedy.js" }');
    writeFileSync(
      join(folder, 'greedy.js'),
      `import { defineFeature } from 'animal-store';
       import { Module } from '@nestjs/common';
       class GreedyModule {}
       Module({})(GreedyModule);
       export const greedy = defineFeature({ name: 'greedy', platform: '^1.0.0', module: GreedyModule });`,
    );
    writeFileSync(
      join(consumer, 'greedy.mjs'),
      `import { pets, runService } from 'animal-store';
       import { greedy } from 'greedy';
       await runService([pets, greedy]);`,
    );
    const service = Service.launch({ database: { url: 'sqlite::memory:' }, program: join(consumer, 'greedy.mjs') });
    expect(await service.exited).toEqual({ code: 1, signal: null });
    expect(service.output).toMatch(/feature 'greedy' /);
    expect(service.output).toMatch(message);
    removeScratch(folder);
  });
});

describe.each(['main.mjs', 'main.cjs'])('orders beside pets, by %s', (main) => {
  onEachEngine('', (engine) => {
    let database: TestDatabase;
    let service: Service;
    let client: HttpClient;

    beforeAll(async () => {
      database = await engine.createDatabase();
      service = await Service.start({ database, program: join(consumer, main), commands: join(consumer, main) });
      client = new HttpClient(service.url, await storeKey(database));
      await client.post('/v1/pets', { name: 'Rex', categoryId: 7 });
      await client.post('/v1/pets', { name: 'Tux', categoryId: 7, status: 'sold' });
    });

    afterAll(async () => {
      await service.stop();
      await database.drop();
    });

    it('are placed, once for each Idempotency-Key', async () => {
      const headers = { 'idempotency-key': 'one' };
      const placed = await client.post('/v1/store/orders', { petId: 1, quantity: 2 }, { headers });
      expect(placed.status).toBe(201);
      expect(placed.json()).toMatchObject({ id: 1, petId: 1, quantity: 2, status: 'placed' });
      const again = await client.post('/v1/store/orders', { petId: 1, quantity: 2 }, { headers });
      expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([placed.text, 'true']);
      expect(await database.query('SELECT pet_id, quantity FROM store_order')).toEqual([{ pet_id: 1n, quantity: 2n }]);
    });

    it('look a pet up in the feature that owns it', async () => {
      expect(await client.post('/v1/store/orders', { petId: 2 })).toBeErrorShape(409, 'ordered_pet_sold');
      expect(await client.post('/v1/store/orders', { petId: 9 })).toBeErrorShape(422, 'ordered_pet_missing');
    });

    it('are listed page by page', async () => {
      await client.post('/v1/store/orders', { petId: 1 });
      const first = await client.get('/v1/store/orders?limit=1');
      expect(first.json()).toMatchObject([{ id: 1 }]);
      const next = /^<[^>]*(\/v1\/store\/orders\?[^>]*)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1];
      const second = await client.get(String(next));
      expect(second.json()).toMatchObject([{ id: 2 }]);
      expect(second.headers.get('link')).toBeNull();
    });

    it('need their own scopes', async () => {
      const reader = new HttpClient(service.url, await service.createKey({ scopes: ['orders:read'] }));
      expect((await reader.get('/v1/store/orders')).status).toBe(200);
      expect(await reader.post('/v1/store/orders', { petId: 1 })).toBeErrorShape(403, 'insufficient_scope');
      expect(await reader.get('/v1/pets')).toBeErrorShape(403, 'insufficient_scope');
    });

    it('are closed, strict, and documented as beta', async () => {
      const stranger = new HttpClient(service.url);
      expect(await stranger.get('/v1/store/orders')).toBeErrorShape(401, 'missing_api_key');
      expect(await stranger.request('PUT', '/v1/store/orders')).toBeErrorShape(405, 'method_not_allowed');
      expect(await client.post('/v1/store/orders', { petId: 1, id: 7 })).toBeErrorShape(400, 'unknown_field');
      expect(await client.get('/v1/store/orders?of=Ada')).toBeErrorShape(400, 'unknown_parameter');
      const { paths } = (await stranger.get('/openapi.json')).json() as { paths: Record<string, object> };
      expect(paths['/store/orders']).toMatchObject({
        get: { operationId: 'listOrders', 'x-stability': 'beta' },
        post: { operationId: 'placeOrder', 'x-stability': 'beta' },
      });
    });
  });
});
