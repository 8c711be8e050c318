import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { projectFolder } from '../support/command.js';
import { runIn } from '../support/packages.js';
import { removeScratch, scratchFolder } from '../support/scratch.js';

const TEST = (name: string): string => `import { it } from '@jest/globals';\nit('${name}', () => undefined);\n`;
const BUILDS = 'Building dist';

/** `npm test` of this project, in a small copy whose compiler does next to nothing. */
describe('npm test -- one.spec.ts', () => {
  let folder: string;

  beforeAll(() => {
    folder = scratchFolder('one-test');
    const { type, scripts } = JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8')) as {
      type: string;
      scripts: Record<string, string>;
    };
    const files = {
      'package.json': JSON.stringify({ name: 'small', type, scripts: { test: scripts['test'] } }),
      'package-lock.json': '{}',
      'tsconfig.json': '{}',
      'tsconfig.build.json': '{}',
      'src/index.ts': 'export {};\n',
      'src/unit.spec.ts': TEST('unit'),
      'test/repository/built.spec.ts': TEST('built'),
      'scripts/setup-test-machine.mjs': '',
      'scripts/bundle-program.mjs': '',
      'scripts/warm-compile-cache.mjs': '',
      'node_modules/typescript/bin/tsc': COMPILER,
    };
    for (const [path, text] of Object.entries(files)) write(path, text);
    for (const path of ['jest.config.mjs', 'test/support', 'scripts/build.mjs'])
      cpSync(join(projectFolder, path), join(folder, path), { recursive: true });
    for (const name of readdirSync(join(projectFolder, 'node_modules')).filter((each) => !OWN.has(each)))
      symlinkSync(join(projectFolder, 'node_modules', name), join(folder, 'node_modules', name));
  });

  afterAll(() => removeScratch(folder));

  function write(path: string, text: string): void {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }

  /** What it prints: the tests say it on standard error. */
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
    // This one may be another try of this test.
    await hasBuilt();
    expect(existsSync(join(folder, 'dist/main.js'))).toBe(true);
    expect(await hasBuilt()).toBe(false);
    write('src/index.ts', `export const edited = ${String(Date.now())};\n`);
    expect(await hasBuilt()).toBe(true);
    expect(await hasBuilt()).toBe(false);
  });
});

/** What the copy has of its own in `node_modules`. */
const OWN = new Set(['typescript', '.cache']);

const COMPILER = `
const { mkdirSync, writeFileSync } = require('node:fs');
mkdirSync('dist', { recursive: true });
for (const name of ['main', 'index']) writeFileSync('dist/' + name + '.js', '');
`;
