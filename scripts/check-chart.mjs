/**
 * Packages the chart as .github/workflows/release.yml does, signs it with a temporary key, verifies it and renders it.
 * A chart that was changed, or that somebody else signed, must be refused.
 *
 * Needs gpg, Go, and Go's module proxy the first time. Publishes nothing: only the workflow pushes to a registry, and
 * signs with `cosign` without a private key.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { program } from './go-programs.mjs';

const project = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
const RELEASE = {
  IMAGE: 'registry.example.com/team/animal-store',
  DIGEST: `sha256:${'ab'.repeat(32)}`,
  RUNBOOK: 'https://git.example.com/animal-store/alerts.md',
};

const helm = program('helm');
// The path of gpg's socket must be short.
const folder = mkdtempSync(join(tmpdir(), 'chart-'));
const run = (command, args, options = {}) =>
  execFileSync(command, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], ...options });

/** Creates a key without a passphrase. helm reads the old format of keyrings, which gpg exports. */
function makeKey(name) {
  const home = join(folder, name);
  mkdirSync(home, { mode: 0o700 });
  const gpg = (...args) => run('gpg', ['--homedir', home, '--batch', '--quiet', ...args], { encoding: 'buffer' });
  gpg('--passphrase', '', '--quick-generate-key', `${name} <${name}@example.com>`, 'rsa3072', 'sign', '1d');
  writeFileSync(join(folder, `${name}.secret`), gpg('--export-secret-keys'), { mode: 0o600 });
  writeFileSync(join(folder, `${name}.public`), gpg('--export'));
  run('gpgconf', ['--homedir', home, '--kill', 'all']);
}

/** Runs the step of the workflow that prepares the chart, on a copy. */
function prepareChart() {
  // The chart links to the alerts of deploy/observability.
  cpSync(join(project, 'deploy'), join(folder, 'deploy'), { recursive: true, verbatimSymlinks: true });
  const workflow = parse(readFileSync(join(project, '.github/workflows/release.yml'), 'utf8'));
  const step = workflow.jobs.chart.steps.find(({ name }) => name === 'What this release is made of');
  run('bash', ['-euc', step.run], { env: { ...process.env, ...RELEASE } });
}

function refuses(why, ...args) {
  const { status, stderr } = spawnSync(helm, args, { cwd: folder, encoding: 'utf8' });
  if (status === 0) throw new Error(`A chart was taken ${why}`);
  console.log(`refused ${why}: ${stderr.trim().split('\n').at(-1)}`);
}

try {
  for (const name of ['publisher', 'stranger']) makeKey(name);
  prepareChart();
  const archive = `animal-store-${version}.tgz`;
  const signed = ['--sign', '--key', 'publisher', '--keyring', 'publisher.secret'];
  run(helm, ['package', 'deploy/helm/animal-store', '--version', version, '--app-version', version, ...signed]);
  const values = 'config.PUBLIC_BASE_URL=https://api.example.com/v1,monitoring.enabled=true';
  const trusted = ['--verify', '--keyring', 'publisher.public'];
  const rendered = run(helm, ['template', 'animal-store', archive, '--set', values, ...trusted]);
  for (const part of Object.values(RELEASE)) {
    if (!rendered.includes(part)) throw new Error(`The packaged chart does not name ${part}`);
  }
  refuses('that another has signed', 'verify', archive, '--keyring', 'stranger.public');
  const bytes = readFileSync(join(folder, archive));
  bytes[bytes.length - 1] ^= 1;
  writeFileSync(join(folder, archive), bytes);
  refuses('that was changed', 'verify', archive, '--keyring', 'publisher.public');
  console.log('The chart was packaged, signed, verified and rendered');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
