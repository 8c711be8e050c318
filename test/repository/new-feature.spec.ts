import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { builtProgram, projectFolder } from '../support/command.js';
import { runIn } from '../support/packages.js';
import { copyProject } from '../support/project-copy.js';
import { removeScratch, scratchFolder } from '../support/scratch.js';

/** The parts of the repository that adding a feature involves. */
const PARTS = [
  'src',
  'test/support',
  'templates',
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'jest.config.mjs',
  'eslint.config.mjs',
  'scripts/strict-equal.mjs',
  '.prettierrc.json',
  '.dependency-cruiser.cjs',
];

describe('new feature, in this repository', () => {
  let copy: string;

  const node = (program: string, ...args: readonly string[]): Promise<string> =>
    runIn(copy, process.execPath, join(projectFolder, 'node_modules', program), ...args);
  const generate = (...args: readonly string[]): Promise<string> =>
    runIn(copy, process.execPath, builtProgram('cli.js'), 'new', 'feature', ...args);

  beforeAll(async () => {
    copy = scratchFolder('repository');
    copyProject(copy, PARTS);
    await generate('orders');
  }, 300_000);

  afterAll(() => removeScratch(copy));

  it('adds it to the features', () => {
    const list = readFileSync(join(copy, 'src/features.ts'), 'utf8');
    expect(list).toContain("import { orders } from './orders/index.js';");
    expect(list).toMatch(/features: readonly Feature\[\] = \[.*pets, orders\];/);
  });

  it('passes the tests that come with it', async () => {
    // ES modules need this flag of Node. `npm test` passes it to Jest's own workers.
    const jest = join(projectFolder, 'node_modules/jest/bin/jest.js');
    const options = ['--selectProjects', 'unit', '--reporters', 'default'];
    await runIn(copy, process.execPath, '--experimental-vm-modules', jest, 'src/orders', ...options);
  }, 300_000);

  it('passes the compiler and the linters', async () => {
    await node('typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.build.json');
    await node('eslint/bin/eslint.js', 'src/orders');
    await node('dependency-cruiser/bin/dependency-cruise.mjs', '--config', '.dependency-cruiser.cjs', 'src/orders');
    await node('prettier/bin/prettier.cjs', '--check', 'src/orders');
  }, 300_000);

  it('writes over nothing', async () => {
    await expect(generate('orders')).rejects.toThrow('src/orders is there already');
  });

  it('asks for a name that it can use', async () => {
    await expect(generate('Orders')).rejects.toThrow("'Orders' is not lower kebab case");
    await expect(generate('extends')).rejects.toThrow("No variable can be called 'extends'. Say another NAME");
    await expect(generate('toys', '--singular', 'module')).rejects.toThrow('Say --singular WORD');
  });
});
