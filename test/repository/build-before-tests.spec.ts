import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { projectFolder } from '../support/command.js';
import { runIn } from '../support/packages.js';
import { removeScratch, scratchFolder } from '../support/scratch.js';
import { writeSmallProject, writeIn } from '../support/small-project.js';

const TEST = (name: string): string => `import { it } from '@jest/globals';\nit('${name}', () => undefined);\n`;
const BUILDS = 'Building dist';

/** `npm test` in a small copy of this project, with a trivial compiler. */
describe('npm test -- one.spec.ts', () => {
  let folder: string;

  beforeAll(() => {
    folder = scratchFolder('one-test');
    const { scripts } = JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    writeSmallProject(folder, { test: scripts['test'] });
    writeIn(folder, 'src/unit.spec.ts', TEST('unit'));
    writeIn(folder, 'test/repository/built.spec.ts', TEST('built'));
    writeIn(folder, 'scripts/setup-test-machine.mjs', '');
    for (const path of ['jest.config.mjs', 'test/support'])
      cpSync(join(projectFolder, path), join(folder, path), { recursive: true });
    for (const name of readdirSync(join(projectFolder, 'node_modules')).filter((each) => !OWN.has(each)))
      symlinkSync(join(projectFolder, 'node_modules', name), join(folder, 'node_modules', name));
  });

  afterAll(() => removeScratch(folder));

  /** The whole output. Jest writes to stderr. */
  const run = (path: string): Promise<string> => runIn(folder, 'sh', '-c', `npm test -- ${path} 2>&1`);

  it('builds nothing for a unit test', async () => {
    const printed = await run('src/unit.spec.ts');
    expect(printed).toContain('1 passed, 0 failed');
    expect(printed).not.toContain(BUILDS);
    expect(existsSync(join(folder, 'dist'))).toBe(false);
  });

  it('builds for a black-box test, and again only once a source has changed', async () => {
    const path = 'test/repository/built.spec.ts';
    const hasBuilt = async (): Promise<boolean> => {
      const printed = await run(path);
      expect(printed).toContain('1 passed, 0 failed');
      return printed.includes(BUILDS);
    };
    // dist exists already if this is a retry of the test.
    await hasBuilt();
    expect(existsSync(join(folder, 'dist/main.js'))).toBe(true);
    expect(await hasBuilt()).toBe(false);
    writeIn(folder, 'src/main.ts', `export const edited = ${String(Date.now())};\n`);
    expect(await hasBuilt()).toBe(true);
    expect(await hasBuilt()).toBe(false);
  });
});

/** Packages that the copy has itself in `node_modules`. */
const OWN = new Set(['typescript', '.cache']);
