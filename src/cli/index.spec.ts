import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { pets } from '../pets/index.js';
import { runCommand } from './index.js';

let stderr: string;
let folder: string;
const here = process.cwd();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'animal-store-'));
  process.chdir(folder);
  stderr = '';
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((stderr += String(text))));
  jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
});

afterEach(() => {
  jest.restoreAllMocks();
  process.exitCode = undefined;
  process.chdir(here);
  rmSync(folder, { recursive: true });
});

it.each([
  ['frobnicate', "unknown command 'frobnicate'"],
  ['--frobnicate', "unknown option '--frobnicate'"],
  ['keys', 'Usage:'],
  ['keys destroy', "unknown command 'destroy'"],
  ['migrate now', 'too many arguments'],
  ['migrate --undo cats', "'cats' is invalid"],
  ['migrate --undo pets --yes', 'FEATURES_OFF=pets'],
  ['migrate --yes', '--yes belongs to --undo'],
  ['openapi --xml', "unknown option '--xml'"],
  ['config --json', "unknown option '--json'"],
  ['new', 'Usage:'],
  ['new feature', "missing required argument 'name'"],
  ['new feature Toys', 'not lower kebab case'],
  ['new feature returns', '--singular'],
  ['new feature rows', '--singular'],
  ['seed', '--count'],
  ['seed --count 0', 'whole number'],
  ['seed --count 1 --feature cats', "'cats' has no samples"],
])('%s is asked wrongly: 2, and stderr says why', async (words, why) => {
  await runCommand([pets], words.split(' '));
  expect(process.exitCode).toBe(2);
  expect(stderr).toContain(why);
  expect(readdirSync(folder)).toEqual([]);
});

it.each(['help', '--version', 'keys --help'])('%s is 0', async (words) => {
  await runCommand([pets], words.split(' '));
  expect(process.exitCode ?? 0).toBe(0);
  expect(stderr).toBe('');
});

it.each(['fields', 'firsts', 'events'])('new feature %s is written', async (name) => {
  await runCommand([pets], ['new', 'feature', name]);
  expect(process.exitCode ?? 0).toBe(0);
  expect(readdirSync(join(folder, 'src', name))).toContain(`${name}.feature.ts`);
});

it('new feature that breaks is a fault, and no wrong way to ask', async () => {
  jest.spyOn(process.stdout, 'write').mockImplementation(() => {
    throw new TypeError('broken');
  });
  await expect(runCommand([pets], ['new', 'feature', 'toys'])).rejects.toThrow('broken');
  expect(process.exitCode).toBeUndefined();
});
