import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const support = fileURLToPath(new URL('../support/tethered.ts', import.meta.url));

/** Starts a process that would live for a minute, and prints its id once it runs. */
const PARENT = `
  const { spawnTethered } = await import(${JSON.stringify(support)});
  const program = 'console.log("up"); setTimeout(() => {}, 60_000)';
  const child = spawnTethered(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'ignore'] });
  child.stdout.once('data', () => console.log(child.pid));
  setTimeout(() => {}, 60_000);
`;

/** A zombie counts as dead: it only waits until its new parent reads its exit code. */
function isAlive(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${String(pid)}/stat`, 'latin1').includes(') Z ');
  } catch {
    return false;
  }
}

describe('a process that a test started', () => {
  it('ends with the process that started it, even when that is killed', async () => {
    const parent = spawn(process.execPath, ['--input-type=module', '-e', PARENT], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [printed] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(printed.toString());
    expect(isAlive(pid)).toBe(true);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    for (let tries = 0; tries < 1000 && isAlive(pid); tries += 1) await sleep(20);
    expect(isAlive(pid)).toBe(false);
  });
});
