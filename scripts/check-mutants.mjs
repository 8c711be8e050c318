/**
 * Checks whether the tests notice careless changes. Makes one small change of a source at a time, in a copy of the
 * project, and runs the tests of its folder: first the unit tests, then the compiler, then those of the built service.
 * Prints the changes that no test noticed, and the rate. Exit code 1 below 95 %. The seed chooses the changes.
 *
 *   npm run check -- mutants [--seed 1] [--count 40] [--only auth,json] [--unit]
 *
 * With `--unit` only the unit tests and the compiler run, which is quick. It lists what they do not notice.
 *
 * Mutation testers see only tests that run the sources in their own process. Here most tests start the built program.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { clearTimeout, setTimeout } from 'node:timers';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { transformSync } from '@swc/core';
import { swcOptions } from '../test/support/swc-options.mjs';
import { mutationsOf } from './mutations.mjs';

const GOAL = 0.95;
/** Milliseconds. Tests that take longer count as failed: unit tests, and tests of the built service. */
const LIMITS_MS = { src: 120_000, test: 600_000 };

/**
 * The tests of the built service for each folder, the quickest first. The database's files have separate lists: a
 * change is tested by the specs that use the changed file, since each spec takes up to a minute.
 */
const SPECS = {
  auth: ['contract/authentication', 'contract/keys-file', 'faults/damaged-keys', 'faults/guessing'],
  database: [
    [/batcher|statements/, ['contract/list', 'extension/repositories']],
    [/sqlite/, ['contract/smoke', 'faults/sqlite-files', 'extension/column-types', 'extension/repositories']],
    [/credentials|outages|watch/, ['faults/database-tls', 'faults/database-login']],
    [/migrat/, ['extension/migrations', 'faults/migrations-killed']],
    [/schema/, ['faults/database-schema', 'extension/migrations', 'extension/column-types']],
    [/session|durable/, ['faults/database-session']],
    [/driver|data-source|query-builder/, ['extension/repositories', 'extension/column-types', 'extension/migrations']],
    [/pool|connection/, ['faults/database-connections', 'faults/database-killed', 'faults/database-hung']],
    [/./, ['faults/lock-waits', 'faults/ambiguous', 'faults/database-(killed|hung|login|moved)', 'faults/read-only']],
  ],
  idempotency: ['contract/idempotency'],
  json: ['contract/json-strictness', 'contract/pet-values'],
  lifecycle: ['contract/smoke', 'faults/graceful-stop', 'faults/stuck-handler', 'faults/start.spec', 'faults/metrics'],
  limits: ['contract/rate-limit', 'faults/overload', 'faults/guessing'],
  pagination: ['contract/list'],
};

const { values } = parseArgs({
  options: {
    unit: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '40' },
    only: { type: 'string', default: Object.keys(SPECS).join() },
  },
});
const project = fileURLToPath(new URL('..', import.meta.url));
const equivalent = JSON.parse(readFileSync(new URL('equivalent-mutants.json', import.meta.url), 'utf8'));

/** Mulberry32: the same numbers from the same seed everywhere. */
function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

function chosen() {
  const random = randomFrom(Number(values.seed));
  const all = values.only.split(',').flatMap((folder) =>
    globSync([`src/platform/${folder}.ts`, `src/platform/${folder}/**/*.ts`], { cwd: project })
      .filter((path) => !/\.spec\.ts$|\/index\.ts$|\/migrations\//.test(path))
      .sort()
      .flatMap((path) => {
        const text = readFileSync(join(project, path), 'utf8');
        return mutationsOf(path, text).map((mutation) => ({ ...mutation, folder, path, text }));
      }),
  );
  const picked = all.map((mutant) => [random(), mutant]).sort(([a], [b]) => a - b);
  return picked.slice(0, Number(values.count)).map(([, mutant]) => described(mutant));
}

function described(mutant) {
  const { text, start, end, to, path, line } = mutant;
  const changed = text.slice(0, start) + to + text.slice(end);
  const [from, into] = [text, changed].map((whole) => whole.split('\n')[line - 1].trim());
  const known = equivalent.find((one) => one.path === path && one.from === from && one.to === into);
  return { ...mutant, changed, why: known?.why, shown: `${path}:${line}\n    - ${from}\n    + ${into}` };
}

/** A copy in which the tests run, so that the project can be edited meanwhile. */
function copied() {
  const copy = mkdtempSync(join(tmpdir(), 'animal-store-mutants-'));
  for (const name of readdirSync(project)) {
    if (['node_modules', '.git', 'artifacts'].includes(name)) continue;
    cpSync(join(project, name), join(copy, name), { recursive: true, verbatimSymlinks: true });
  }
  symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** The tests of the built service that run for a change of this file. */
function specsFor(folder, path) {
  const specs = SPECS[folder];
  const [, own] = specs.find(([pattern]) => pattern instanceof RegExp && pattern.test(path)) ?? [undefined, specs];
  return own.map((name) => `test/${name}`);
}

async function pass(copy, paths) {
  const flags = ['--experimental-vm-modules', '--no-warnings', '--import', './test/support/tether-worker.mts'];
  const jest = ['node_modules/jest/bin/jest.js', '--runInBand', '--bail', '--silent', '--passWithNoTests'];
  const env = { ...process.env, ALLOW_SKIP: '1' };
  const child = spawn(process.execPath, [...flags, ...jest, ...paths], {
    cwd: copy,
    env,
    detached: true,
    stdio: 'ignore',
  });
  const late = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), LIMITS_MS[paths[0].split('/', 1)[0]]);
  const [code] = await new Promise((resolve) => child.once('close', (...exit) => resolve(exit)));
  clearTimeout(late);
  return code === 0;
}

function put(copy, path, text) {
  writeFileSync(join(copy, path), text);
  const { code } = transformSync(text, { ...swcOptions, filename: path });
  writeFileSync(join(copy, path.replace(/^src/, 'dist').replace(/\.ts$/, '.js')), code);
}

/** Tests that passed on the unchanged sources. */
const sound = new Set();

/** @throws {Error} if the tests fail without any change, since then they would notice nothing. */
async function requireSound(copy, path) {
  if (sound.has(path)) return;
  if (!(await pass(copy, [path]))) throw new Error(`${path} fails without any change`);
  sound.add(path);
}

/** The first of these tests that fails; undefined if all pass. */
async function firstToFail(copy, paths) {
  for (const path of paths) if (!(await pass(copy, [path]))) return path;
  return undefined;
}

/** `npm run typecheck` is a test too. Its incremental build file stays in the copy. */
function compiles(copy) {
  const tsc = [
    'node_modules/typescript/bin/tsc',
    '--noEmit',
    '--incremental',
    '--tsBuildInfoFile',
    'typecheck.tsbuildinfo',
  ];
  return spawnSync(process.execPath, tsc, { cwd: copy, stdio: 'ignore' }).status === 0;
}

function build(copy) {
  return spawnSync(process.execPath, ['scripts/bundle-program.mjs'], { cwd: copy, stdio: 'ignore' }).status === 0;
}

/** The unit tests that run for a change of this file: its own first, which are quick. */
function unitTestsFor(folder, path) {
  const own = path.replace(/\.ts$/, '.spec.ts');
  return [...(existsSync(join(project, own)) ? [own] : []), `src/platform/${folder}/`];
}

/** Whether any test failed because of the change. */
async function isNoticed(copy, { folder, path, changed, text }) {
  const unit = unitTestsFor(folder, path);
  for (const tests of unit) await requireSound(copy, tests);
  let noticedBy;
  put(copy, path, changed);
  try {
    if ((await firstToFail(copy, unit)) !== undefined || !compiles(copy)) return true;
    if (values.unit) return false;
    if (!build(copy)) return true;
    noticedBy = await firstToFail(copy, specsFor(folder, path));
  } finally {
    put(copy, path, text);
  }
  if (noticedBy === undefined) return false;
  build(copy);
  await requireSound(copy, noticedBy);
  return true;
}

function showProgress(done, all, survivors) {
  const width = 30;
  const bar = '#'.repeat(Math.round((done / all) * width)).padEnd(width, '.');
  process.stderr.write(
    `${process.stderr.isTTY ? '\r' : ''}[${bar}] ${done}/${all}, ${survivors} unnoticed${process.stderr.isTTY ? '' : '\n'}`,
  );
}

const mutants = chosen();
const counted = mutants.filter(({ why }) => why === undefined);
const copy = copied();
const survivors = [];
try {
  if (!compiles(copy)) throw new Error('The compiler refuses the sources without any change');
  for (const [done, mutant] of counted.entries()) {
    showProgress(done, counted.length, survivors.length);
    if (await isNoticed(copy, mutant)) continue;
    survivors.push(mutant);
    process.stdout.write(`\nunnoticed: ${mutant.shown}\n`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
const rate = 1 - survivors.length / counted.length;
process.stdout.write(
  `\n${counted.length - survivors.length} of ${counted.length} changes were noticed, ${(100 * rate).toFixed(1)} %; seed ${values.seed}; ${mutants.length - counted.length} equivalent changes were skipped\n`,
);
process.exitCode = rate < GOAL ? 1 : 0;
