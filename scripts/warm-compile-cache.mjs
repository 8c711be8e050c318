/**
 * Starts the built service once and stops it. This fills the compile cache (src/platform/runtime/v8.ts) for the first
 * real start. Its database is a file that is deleted afterwards. The cache is valid for one version of Node and one
 * user. If the service cannot be started here, the only effect is a slower first start.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clearTimeout, setTimeout } from 'node:timers';
import { fileURLToPath } from 'node:url';

const LIMIT_MS = 30_000;

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'animal-store-warm-'));
const service = spawn(process.execPath, [main], {
  // No .env file and no configuration of this shell: they may name a database that is in use.
  cwd: folder,
  env: {
    PATH: process.env.PATH,
    NODE_ENV: 'test',
    HOST: '127.0.0.1',
    PORT: '0',
    MANAGEMENT_PORT: '0',
    DATABASE_URL: `sqlite:${join(folder, 'warm.sqlite')}`,
    LOG_FORMAT: 'json',
  },
  stdio: ['ignore', 'pipe', 'ignore'],
});
const limit = setTimeout(() => service.kill('SIGKILL'), LIMIT_MS);
service.stdout.setEncoding('utf8').on('data', (text) => {
  if (text.includes('"event":"app.ready"')) service.kill('SIGTERM');
});
service.on('error', end);
service.on('close', end);

function end() {
  clearTimeout(limit);
  rmSync(folder, { recursive: true, force: true });
}
