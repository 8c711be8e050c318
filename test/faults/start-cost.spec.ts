import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { TestDatabase } from '../support/database.js';
import { onEachEngine } from '../support/engines.js';
import { LoadedModules } from '../support/loaded-modules.js';
import { residentBytes } from '../support/process-size.js';
import { removeScratch, scratchFolder } from '../support/scratch.js';
import { Service } from '../support/service.js';

/** Packages that no start needs: they are for some requests, for another database, or for a terminal. */
const LATER = [
  '@redis/client',
  'commander',
  'libphonenumber-js',
  'pino-pretty',
  'redis',
  'swagger-ui-dist',
  'validator',
  'yaml',
];
const ENGINES = { sqlite: 'better-sqlite3-v13', mysql: 'mysql2' };
/** Files that are read besides packages: the program and its chunks. */
const MOST_FILES = 30;
const MOST_RESIDENT_BYTES = 150 * 2 ** 20;

onEachEngine('what a start costs', (engine) => {
  const folder = scratchFolder('start-cost');
  let database: TestDatabase;

  beforeAll(async () => {
    database = await engine.createDatabase();
  });

  afterAll(async () => {
    removeScratch(folder);
    await database.drop();
  });

  it('only modules that every process needs', async () => {
    const loaded = new LoadedModules(folder);
    const service = await Service.start({ database, env: loaded.env });
    await service.stop();
    const { files, packages } = loaded;
    const otherEngine = engine.name === 'sqlite' ? ENGINES.mysql : ENGINES.sqlite;
    expect(packages).toContain(ENGINES[engine.name]);
    expect([...LATER, otherEngine].filter((name) => packages.has(name))).toEqual([]);
    expect(files.filter((url) => !url.includes('/node_modules/')).length).toBeLessThan(MOST_FILES);
  });

  it('memory that a container of 256 MiB has to spare', async () => {
    const service = await Service.start({ database });
    expect(residentBytes(service.pid ?? 0)).toBeLessThan(MOST_RESIDENT_BYTES);
    await service.stop();
  });
});
