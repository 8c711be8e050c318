import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { accepts, freePort } from './ports.js';
import { findProgram } from './programs.js';
import { removeScratch, scratchFolder } from './scratch.js';
import { spawnTethered } from './tethered.js';

const START_LIMIT_MS = 60_000;

export const haproxyProgram = findProgram('haproxy');

/** A reverse proxy in front of servers, as an operator runs one. */
export interface Haproxy {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts haproxy before one backend. It never retries, and it shares its connections to the backend among all clients.
 *
 * @param backend lines of the backend's section, for example `server a 127.0.0.1:3000`.
 */
export async function startHaproxy(backend: readonly string[]): Promise<Haproxy> {
  if (haproxyProgram === undefined) throw new Error('No haproxy here: node scripts/setup-test-machine.mjs');
  const port = await freePort();
  const folder = scratchFolder('haproxy');
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, configuration(port, backend));
  const child = spawnTethered(haproxyProgram, ['-db', '-f', file], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)));
  for (const deadline = Date.now() + START_LIMIT_MS; !(await accepts(port)); await sleep(20)) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`haproxy did not start\n${output}`);
  }
  return {
    url: `http://127.0.0.1:${String(port)}`,
    stop: async () => {
      const exited = child.exitCode === null ? once(child, 'exit') : undefined;
      child.kill('SIGKILL');
      await exited;
      removeScratch(folder);
    },
  };
}

function configuration(port: number, backend: readonly string[]): string {
  const sections = [
    ['global', 'maxconn 1000'],
    ['defaults', 'mode http', 'retries 0', 'timeout connect 2s', 'timeout client 60s', 'timeout server 60s'],
    ['frontend clients', `bind 127.0.0.1:${String(port)}`, 'default_backend servers'],
    ['backend servers', 'http-reuse always', ...backend],
  ];
  return sections.map(([title, ...lines]) => [title, ...lines.map((line) => `  ${line}`), ''].join('\n')).join('\n');
}
