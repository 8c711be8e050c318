import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

const START_LIMIT_MS = 60_000;

/**
 * Waits until a program that was just started is ready.
 *
 * @param isReady called repeatedly; it must not reject.
 * @throws {Error} if the program ends, or is not ready within 30 seconds.
 */
export async function untilReady(program: ChildProcess, isReady: () => Promise<boolean>): Promise<void> {
  for (const limit = Date.now() + START_LIMIT_MS; !(await isReady()); await sleep(100)) {
    if (program.exitCode !== null || Date.now() > limit) {
      throw new Error(`${program.spawnargs.join(' ')} is not ready (exit code ${String(program.exitCode)})`);
    }
  }
}
