/**
 * Asks promtool, of Debian's package `prometheus`, what it thinks of the metrics that the built service exposes, and of the
 * rules in deploy/observability, and runs the rules' own tests. Ends with 1 where it objects.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';

const here = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'animal-store-telemetry-'));
try {
  promtool(['check', 'metrics'], await exposition());
  const { spec } = parse(readFileSync(here('deploy/observability/prometheus-rule.yaml'), 'utf8'));
  writeFileSync(join(folder, 'rules.yaml'), stringify(spec));
  copyFileSync(here('deploy/observability/rules.test.yaml'), join(folder, 'rules.test.yaml'));
  promtool(['check', 'rules', 'rules.yaml']);
  promtool(['test', 'rules', 'rules.test.yaml']);
} finally {
  rmSync(folder, { recursive: true });
}

function promtool(args, input = '') {
  console.error(`== promtool ${args.join(' ')}`);
  const { status, error } = spawnSync('promtool', args, { cwd: folder, input, stdio: ['pipe', 'inherit', 'inherit'] });
  if (error !== undefined) console.error(`${error.message}: apt-get install prometheus has it`);
  if (status !== 0) process.exitCode = 1;
}

/** What a service says of itself after some requests. */
async function exposition() {
  const env = {
    PATH: process.env.PATH,
    NODE_ENV: 'test',
    PORT: '0',
    MANAGEMENT_PORT: '0',
    LOG_FORMAT: 'json',
    DATABASE_URL: `sqlite:${join(folder, 'store.sqlite')}`,
  };
  const service = spawn(process.execPath, [here('dist/main.js')], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    for await (const line of createInterface(service.stdout)) {
      const { event, url, management_url: management } = JSON.parse(line);
      if (event !== 'app.ready') continue;
      for (const path of ['/v1/pets', '/v1/pets/1', '/nothing']) await globalThis.fetch(url + path);
      return await (await globalThis.fetch(`${management}/metrics`)).text();
    }
    throw new Error('The service ended before it was ready');
  } finally {
    const exited = once(service, 'exit');
    service.kill();
    await exited;
  }
}
