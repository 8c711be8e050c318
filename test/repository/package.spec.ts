import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { projectFolder } from '../support/command.js';
import { pack, runIn } from '../support/packages.js';
import { removeScratch, scratchFolder } from '../support/scratch.js';

const program = (path: string): string => join(projectFolder, 'node_modules', path);
const node = (folder: string, ...args: readonly string[]): Promise<string> => runIn(folder, process.execPath, ...args);

describe('the package', () => {
  let folder: string;
  let tarball: string;

  beforeAll(async () => {
    folder = scratchFolder('package');
    tarball = await pack(projectFolder, folder);
  }, 300_000);

  afterAll(() => removeScratch(folder));

  it('is one that any bundler and any Node understand', async () => {
    expect(await node(projectFolder, program('publint/src/cli.js'), tarball, '--strict')).toContain('All good!');
  });

  it('has types where TypeScript looks for them', async () => {
    const analysis = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
    if (!analysis.types) throw new Error('The package has no types');
    expect(Object.keys(analysis.entrypoints)).toEqual(expect.arrayContaining(['.', './client', './testing']));
    // Node without ESM (node10) is not supported.
    const problems = analysis.problems.filter(
      (problem) => !('resolutionKind' in problem && problem.resolutionKind === 'node10'),
    );
    // ESM only: every supported Node can also `require` it, as test/extension/packed.spec.ts shows.
    expect(problems.filter(({ kind }) => kind !== 'CJSResolvesToESM')).toEqual([]);
  });

  it('holds what it needs at run time and nothing of the tests', async () => {
    const files = (await runIn(folder, 'tar', '-tzf', tarball)).trim().split('\n');
    expect(files).toEqual(
      expect.arrayContaining([
        'package/dist/index.d.ts',
        'package/dist/bin.js',
        'package/docs/api.md',
        'package/LICENSE',
      ]),
    );
    expect(
      files.filter((file) =>
        /\.spec\.|\.map$|^package\/(test|src|docs\/(?!api\.md$)|dist\/main|dist\/cli\.js|dist\/program)\b/.test(file),
      ),
    ).toEqual([]);
  });

  it('exports what etc says', async () => {
    await node(projectFolder, 'scripts/report-api.mjs', '--check');
  });
});
