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
  /** Requests that got no answer. */
  readonly broken: number;
  readonly p50Micros: number;
  readonly p99Micros: number;
}

/**
 * Sends requests with wrk. The service and its database need both cores, and wrk uses a small part of the CPU time that
 * autocannon would use per request.
 *
 * @param requests the bytes of the requests, sent in turn over all connections.
 * @param seconds whole seconds.
 */
export async function wrk(
  origin: string,
  requests: readonly string[],
  connections: number,
  seconds: number,
): Promise<WrkResult> {
  const program = findProgram('wrk');
  if (program === undefined) throw new Error('wrk is not installed: node scripts/setup-test-machine.mjs');
  const folder = scratchFolder('wrk');
  try {
    const file = join(folder, 'requests');
    writeFileSync(file, requests.join('\0'));
    const load = [`-c${String(connections)}`, `-d${String(seconds)}s`, '-t1', '-s', script, origin, '--', file];
    const child = spawnTethered(program, load, { stdio: ['ignore', 'pipe', 'inherit'] });
    const output = child.stdout === null ? '' : await text(child.stdout);
    return JSON.parse(output.slice(output.lastIndexOf('{'))) as WrkResult;
  } finally {
    removeScratch(folder);
  }
}
