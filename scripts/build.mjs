/** Builds `dist`. With `--unless-built` it builds only if the sources have changed since the last build. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const CACHE = 'node_modules/.cache';
const STAMP = `${CACHE}/built`;
const SOURCES = ['src', 'scripts'];
const SETTINGS = ['package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];
const STEPS = [
  ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'],
  ['scripts/bundle-program.mjs'],
  ['scripts/warm-compile-cache.mjs'],
];

requireNode();
process.chdir(fileURLToPath(new URL('..', import.meta.url)));
if (!process.argv.includes('--unless-built') || !isBuilt()) build();

/** `npm ci --ignore-scripts` also skips the script that installs Node. */
function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 24 || (major === 24 && minor >= 11)) return;
  process.stderr.write(
    `This needs Node.js 24.11 or later and runs on ${process.version}. npm ci brings one by the install script of the ` +
      'package node. Where scripts are off (--ignore-scripts), run: npm rebuild node --ignore-scripts=false\n',
  );
  process.exit(1);
}

function build() {
  process.stderr.write('Building dist\n');
  // An earlier build may have left files of sources that were renamed since.
  rmSync('dist', { recursive: true, force: true });
  for (const step of STEPS) {
    const { status } = spawnSync(process.execPath, step, { stdio: 'inherit' });
    if (status !== 0) process.exit(status ?? 1);
  }
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(STAMP, stamp());
}

function isBuilt() {
  return existsSync(STAMP) && existsSync('dist/main.js') && readFileSync(STAMP, 'utf8') === stamp();
}

/**
 * A hash of the sources, of Node's version and of the result, since another tool (`nest start --watch`) may have
 * written `dist`.
 */
function stamp() {
  const sources = SOURCES.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => `${parentPath}/${name}`),
  );
  const paths = [...sources.sort(), ...SETTINGS, 'dist/main.js', 'dist/index.js'];
  const hash = createHash('sha256').update(process.version);
  for (const path of paths) hash.update(`${path}\0`).update(readFileSync(path)).update('\0');
  return hash.digest('hex');
}
