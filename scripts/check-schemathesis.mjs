/**
 * Runs Schemathesis against the built service with all of its checks and phases: the document's examples, its bounds,
 * valid and invalid random requests, and sequences along the document's links. schemathesis.toml tells it the parts of
 * the contract that the document cannot express.
 *
 * Needs python3 with venv, and PyPI the first time. Exits with the code of Schemathesis. Passes arguments on to it
 * (`npm run check -- schemathesis --seed 7`). MAX_EXAMPLES (default 50) limits the random requests of each operation.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startService } from './built-service.mjs';

const VERSION = '4.32.5';
const { MAX_EXAMPLES = '50' } = process.env;

const project = fileURLToPath(new URL('..', import.meta.url));
const programs = join(project, 'node_modules/.cache', `schemathesis-${VERSION}`);
const config = join(project, 'scripts/schemathesis.toml');
const folder = mkdtempSync(join(tmpdir(), 'schemathesis-'));
const { PATH, HOME } = process.env;
const env = { PATH, HOME };
/** Schemathesis sends more requests and more wrong keys per minute than one client may. */
const LIMITS = { RATE_LIMIT_PER_MINUTE: '1000000', AUTH_FAILURES_PER_MINUTE: '1000000' };

function run(command, ...args) {
  const { status, error } = spawnSync(command, args, { cwd: folder, env, stdio: 'inherit' });
  if (error) throw error;
  return status ?? 1;
}

function install() {
  if (existsSync(join(programs, 'bin/schemathesis'))) return;
  const installed =
    run('python3', '-m', 'venv', programs) === 0 &&
    run(join(programs, 'bin/pip'), 'install', '--quiet', `schemathesis==${VERSION}`) === 0;
  if (installed) return;
  rmSync(programs, { recursive: true, force: true });
  throw new Error('Schemathesis could not be installed');
}

try {
  install();
  await using service = await startService(LIMITS);
  const args = [
    '--config-file',
    config,
    'run',
    `${service.url}/openapi.json`,
    '--url',
    `${service.url}/v1`,
    '--checks',
    'all',
    '--mode',
    'all',
  ];
  args.push('--max-examples', MAX_EXAMPLES, '--continue-on-failure', '--no-color');
  args.push('--header', `Authorization: Bearer ${service.key}`, ...process.argv.slice(2));
  process.exitCode = await new Promise((resolve, reject) => {
    const child = spawn(join(programs, 'bin/schemathesis'), args, { cwd: folder, env, stdio: 'inherit' });
    child.once('error', reject).once('close', (code) => resolve(code ?? 1));
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
