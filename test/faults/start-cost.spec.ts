import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { projectFolder } from '../support/command.js';
import type { TestDatabase } from '../support/database.js';
import { onEachEngine } from '../support/engines.js';
import { residentBytes } from '../support/process-size.js';
import { removeScratch, scratchFolder } from '../support/scratch.js';
import { Service } from '../support/service.js';

/** What no start needs: it belongs to some requests, to another database, or to a terminal. */
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
/** Files that are read beside those of the engine: the program and its chunks. */
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
    const file = join(folder, 'modules');
    const hook = pathToFileURL(join(projectFolder, 'test/support/loaded-modules.mjs')).href;
    const env = { NODE_OPTIONS: `--import=${hook}`, LOADED_MODULES_FILE: file };
    const service = await Service.start({ database, env });
    await service.stop();
    const files = readFileSync(file, 'utf8')
      .split('\n')
      .filter((url) => url.startsWith('file:'));
    const packages = new Set(files.flatMap(packagesIn));
    expect(packages).toContain(ENGINES[engine.name]);
    expect(LATER.filter((name) => packages.has(name))).toEqual([]);
    expect(files.filter((url) => !url.includes('/node_modules/')).length).toBeLessThan(MOST_FILES);
  });

  it('memory that a container of 256 MiB has to spare', async () => {
    const service = await Service.start({ database });
    expect(residentBytes(service.pid ?? 0)).toBeLessThan(MOST_RESIDENT_BYTES);
    await service.stop();
  });
});

/** The packages that a file is of: by its own path, and by the notes that the bundler leaves before each part of a chunk. */
function packagesIn(url: string): string[] {
  const notes = readFileSync(new URL(url), 'utf8').match(/^ *\/\/ node_modules\/.*$/gm) ?? [];
  return [url, ...notes].flatMap((place) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(place)?.[1] ?? []);
}
