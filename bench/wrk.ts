import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { findProgram } from '../test/support/programs.ts';
import { removeScratch, scratchFolder } from '../test/support/scratch.ts';
import { spawnTethered } from '../test/support/tethered.ts';

const script = fileURLToPath(new URL('wrk.lua', import.meta.url));

export interface WrkResult {
  readonly requests: number;
  readonly micros: number;
  /** Answers that were neither 2xx nor 3xx. */
  readonly refused: number;
  /** Requests without an answer. */
  readonly broken: number;
  readonly p50Micros: number;
  readonly p99Micros: number;
}

/**
 * Drives a server with wrk: of two cores, which are for the service and its database, it takes a small part of what
 * autocannon takes for a request.
 *
 * @param requests as they go over the wire, sent in turn over all connections.
 * @param seconds whole ones.
 */
export async function wrk(
  origin: string,
  requests: readonly string[],
  connections: number,
  seconds: number,
): Promise<WrkResult> {
  const program = findProgram('wrk');
  if (program === undefined) throw new Error('No wrk here: node scripts/setup-test-machine.mjs');
  const folder = scratchFolder('wrk');
  try {
    const file = join(folder, 'requests');
    writeFileSync(file, requests.join('\0'));
    const load = [`-c${String(connections)}`, `-d${String(seconds)}s`, '-t1', '-s', script, origin, '--', file];
    const child = spawnTethered(program, load, { stdio: ['ignore', 'pipe', 'inherit'] });
    const said = child.stdout === null ? '' : await text(child.stdout);
    return JSON.parse(said.slice(said.lastIndexOf('{'))) as WrkResult;
  } finally {
    removeScratch(folder);
  }
}
