import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import { projectFolder } from '../support/command.js';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { HttpClient } from '../support/http.js';
import { buildPackage, compile, install, linkPackages, pack, runIn } from '../support/packages.js';
import { removeScratch, scratchFolder } from '../support/scratch.js';
import { Service } from '../support/service.js';

const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

describe('two features in packages of their own', () => {
  let workshop: string;
  let consumer: string;
  let tarball: string;
  let database: TestDatabase;
  let key: string | undefined;

  /** Packs the same package as a later version. */
  async function release(version: string): Promise<string> {
    const folder = join(workshop, `v${version}`);
    mkdirSync(folder);
    execFileSync('tar', ['-xzf', tarball, '-C', folder]);
    const manifest = join(folder, 'package/package.json');
    writeFileSync(manifest, JSON.stringify({ ...(read(manifest) as object), version, scripts: {} }));
    return pack(join(folder, 'package'), workshop);
  }

  const upgradeTo = async (version: string): Promise<string> =>
    runIn(consumer, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', await release(version));

  beforeAll(async () => {
    [workshop, consumer] = [scratchFolder('workshop'), scratchFolder('consumer')];
    database = await createSqliteDatabase();
    tarball = await pack(projectFolder, workshop);
    const bin = join(projectFolder, 'dist/bin.js');
    await runIn(workshop, process.execPath, bin, 'new', 'feature', 'pet-toys', '--package');
    const toys = join(workshop, 'pet-toys');
    linkPackages(toys);
    await compile(toys);
    const orders = await buildPackage('examples/store-orders', workshop);
    await install(consumer, tarball, await pack(orders, workshop), await pack(toys, workshop));
    writeFileSync(
      join(consumer, 'main.mjs'),
      `import { pets, runService } from 'animal-store';
       import { orders } from 'store-orders';
       import { petToys } from 'pet-toys';
       await runService([pets, orders, petToys]);`,
    );
  }, 300_000);

  afterAll(async () => {
    await database.drop();
    removeScratch(workshop);
    removeScratch(consumer);
  });

  it.each(['1.0.0', '1.1.0'])(
    'run in one service on %s, and keep what they have',
    async (version) => {
      if (version !== '1.0.0') await upgradeTo(version);
      const store = join(consumer, 'node_modules/animal-store');
      expect(read(join(store, 'package.json'))).toMatchObject({ version });
      const { packages } = read(join(consumer, 'package-lock.json')) as { packages: Record<string, object> };
      const copies = Object.keys(packages).filter((place) => place.endsWith('node_modules/animal-store'));
      expect(copies).toStrictEqual(['node_modules/animal-store']);
      for (const feature of ['store-orders', 'pet-toys']) {
        const manifest = read(join(consumer, 'node_modules', feature, 'package.json'));
        expect(manifest).toMatchObject({ peerDependencies: { 'animal-store': '^1.0.0' } });
      }

      const service = await Service.start({ database, program: join(consumer, 'main.mjs') });
      key ??= await storeKey(database);
      const client = new HttpClient(service.url, key);
      await client.post('/v1/pets', { name: 'Rex', categoryId: 7 });
      expect((await client.post('/v1/store/orders', { petId: 1 })).status).toBe(201);
      expect((await client.post('/v1/pet-toys', { name: version })).status).toBe(201);
      const names = ['1.0.0', '1.1.0'].slice(0, version === '1.0.0' ? 1 : 2);
      const toys = (await client.get('/v1/pet-toys')).json() as { name: string }[];
      expect(toys.map(({ name }) => name)).toStrictEqual(names);
      expect((await client.get('/v1/store/orders')).json()).toHaveLength(names.length);
      await service.stop();
    },
    300_000,
  );

  it('are refused by a version that they were not built for', async () => {
    await upgradeTo('2.0.0');
    const service = Service.launch({ database, program: join(consumer, 'main.mjs') });
    expect(await service.exited).toStrictEqual({ code: 1, signal: null });
    for (const feature of ['orders', 'pet-toys']) {
      expect(service.output).toContain(`feature '${feature}' was built for platform ^1.0.0; this is 2.0.0`);
    }
  }, 300_000);
});
