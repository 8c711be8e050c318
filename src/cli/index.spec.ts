import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { pets } from '../pets/index.js';
import { runCommand } from './index.js';

let stderr: string;

beforeEach(() => {
  stderr = '';
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((stderr += String(text))));
  jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
});

afterEach(() => {
  jest.restoreAllMocks();
  process.exitCode = undefined;
});

it.each([
  ['frobnicate', "unknown command 'frobnicate'"],
  ['--frobnicate', "unknown option '--frobnicate'"],
  ['keys', 'Usage:'],
  ['keys destroy', "unknown command 'destroy'"],
  ['migrate now', 'too many arguments'],
  ['migrate --undo cats', "'cats' is invalid"],
  ['openapi --xml', "unknown option '--xml'"],
  ['config --json', "unknown option '--json'"],
  ['new', 'Usage:'],
  ['new feature', "missing required argument 'name'"],
  ['new feature Toys', 'not lower kebab case'],
  ['seed', '--count'],
  ['seed --count 0', 'whole number'],
  ['seed --count 1 --feature cats', "'cats' has no samples"],
])('%s is asked wrongly: 2, and stderr says why', async (words, why) => {
  await runCommand([pets], words.split(' '));
  expect(process.exitCode).toBe(2);
  expect(stderr).toContain(why);
});

it.each(['help', '--version', 'keys --help'])('%s is 0', async (words) => {
  await runCommand([pets], words.split(' '));
  expect(process.exitCode ?? 0).toBe(0);
  expect(stderr).toBe('');
});
