import { mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'animal-store-';
const ENOUGH_BYTES = 1024 ** 3;

/**
 * A new folder for the files of a test. It is in memory if the machine has enough, since databases that flush at each
 * commit spend most of a test's time on the disk. The caller removes it; `sweepScratch` removes what is left.
 */
export function scratchFolder(purpose: string): string {
  return mkdtempSync(join(scratchRoot(), `${PREFIX}${String(process.pid)}-${purpose}-`));
}

export function removeScratch(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/**
 * Removes the folders of dead processes and of the process `finished`, as far as possible: one may still be mounted.
 */
export function sweepScratch(finished?: number): void {
  const root = scratchRoot();
  for (const name of readdirSync(root)) {
    const owner = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    if (owner === undefined) continue;
    if (Number(owner) !== finished && isAlive(Number(owner))) continue;
    try {
      removeScratch(join(root, name));
    } catch (error) {
      process.stderr.write(`${join(root, name)} is left: ${(error as Error).message}\n`);
    }
  }
}

function scratchRoot(): string {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    if (bavail * bsize >= ENOUGH_BYTES) return '/dev/shm';
  } catch {
    // Not Linux, or Linux without shared memory.
  }
  return tmpdir();
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
