import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { removeScratch, scratchFolder } from '../support/scratch.js';

const project = fileURLToPath(new URL('../../', import.meta.url));

const PASSES = "test('passes', () => {});";
const FAILS = "test('fails', () => { throw new Error('as it should'); });";
const SKIPPED = "test.skip('left out', () => {});";
const UNLOADABLE = "require('no-such-package-at-all');";

describe('the closing line of a run', () => {
  let folder: string;

  beforeAll(() => {
    folder = scratchFolder('tally');
    const config = { transform: {}, reporters: ['default', join(project, 'test/support/tally.reporter.mjs')] };
    writeFileSync(join(folder, 'jest.config.json'), JSON.stringify(config));
  });

  afterAll(() => removeScratch(folder));

  it.each([
    { what: 'tests that pass', code: PASSES, line: '1 passed, 0 failed', good: true },
    { what: 'a test that fails', code: PASSES + FAILS, line: '1 passed, 1 failed', good: false },
    { what: 'a file that cannot be loaded', code: UNLOADABLE, line: '0 passed, 1 failed', good: false },
    { what: 'a skipped test', code: PASSES + SKIPPED, line: '1 passed, 0 failed', good: false },
    { what: 'a test to be written', code: `${PASSES}test.todo('it');`, line: '1 passed, 0 failed', good: false },
    {
      what: 'a skipped test that is allowed',
      code: PASSES + SKIPPED,
      env: { ALLOW_SKIP: '1' },
      line: '1 passed, 0 failed, 1 skipped',
      good: true,
    },
    {
      what: 'tests not chosen by name',
      code: PASSES + FAILS,
      args: ['--testNamePattern', 'passes'],
      line: '1 passed, 0 failed',
      good: true,
    },
  ])('counts $what', async ({ code, env, args, line, good }) => {
    writeFileSync(join(folder, 'some.test.js'), code);
    const run = await runJest(folder, args ?? [], env ?? {});
    expect(run.output.trimEnd().split('\n').at(-1)).toBe(line);
    expect(run.code === 0).toBe(good);
  });

  it('names the skipped tests when they fail the run', async () => {
    writeFileSync(join(folder, 'some.test.js'), SKIPPED);
    const { output } = await runJest(folder, [], {});
    expect(output).toContain('1 skipped: a skipped test fails the run unless ALLOW_SKIP=1\n  left out');
  });
});

describe('the text of a failure', () => {
  const LONG =
    "test('is long', () => { expect(Array.from({ length: 30_000 }, (_, n) => `${n} of many`).join('\\n')).toBe('short'); });";
  const WIDE = "test('is wide', () => { expect('wide '.repeat(400_000)).toContain('narrow'); });";
  let folder: string;

  beforeAll(() => {
    folder = scratchFolder('failures');
    const own = ['short-failures', 'tally'].map((name) => join(project, `test/support/${name}.reporter.mjs`));
    writeFileSync(
      join(folder, 'jest.config.json'),
      JSON.stringify({ transform: {}, reporters: [own[0], 'default', own[1]] }),
    );
    writeFileSync(join(folder, 'some.test.js'), LONG + WIDE);
  });

  afterAll(() => removeScratch(folder));

  it('fits on a screen, with the place of the failure, and is whole in a file', async () => {
    const { output } = await runJest(folder, [], {});
    const [, long = '', wide = ''] = output.split(/^ {2}● /m);
    for (const failure of [long, wide]) {
      expect(failure).toMatch(/Expected.*\n[\s\S]*at Object\.\S+ \(some\.test\.js:1:\d+\)/);
      expect(failure.split('\n').length).toBeLessThan(80);
      expect(failure.length).toBeLessThan(10_000);
    }
    expect(readFileSync(join(folder, 'artifacts/failures.txt'), 'utf8')).toContain('29999 of many');
  });
});

function runJest(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ code: number | null; output: string }> {
  const jest = join(project, 'node_modules/jest/bin/jest.js');
  const child = spawn(process.execPath, [jest, '--rootDir', folder, '--no-cache', '--runInBand', ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...env },
  });
  let output = '';
  child.stdout.on('data', (text) => (output += String(text)));
  child.stderr.on('data', (text) => (output += String(text)));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}
