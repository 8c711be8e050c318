import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from './command.js';
import { removeScratch, scratchFolder } from './scratch.js';

/**
 * The path of libfaketime on Debian. The command `faketime` knows it too, but it fails if an earlier process with the
 * same id was killed and left a semaphore.
 */
const LIBRARY = globSync('/usr/lib/*/faketime/libfaketime.so.1')[0];

/** The time that a test's processes see, set by libfaketime. */
export class FakeTime {
  readonly #folder = scratchFolder('clock');
  readonly #file = join(this.#folder, 'time');
  /** The environment for such a process. */
  readonly env: Environment;

  /**
   * @param timers whether timers and durations jump with the clock, as if the time had passed. Otherwise only the clock
   * is set.
   */
  constructor({ timers }: { readonly timers: boolean }) {
    if (LIBRARY === undefined) throw new Error('libfaketime is not installed (scripts/setup-test-machine.mjs does it)');
    this.#write('+0');
    this.env = {
      LD_PRELOAD: LIBRARY,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: '1',
      ...(!timers && { FAKETIME_DONT_FAKE_MONOTONIC: '1' }),
    };
  }

  /**
   * @param to in libfaketime's format: `+3600` is seconds from now; `@` and a moment is where the time goes on from.
   */
  async jump(to: string): Promise<void> {
    this.#write(to);
    await sleep(200);
  }

  remove(): void {
    removeScratch(this.#folder);
  }

  #write(time: string): void {
    writeFileSync(this.#file, `${time}\n`);
  }
}
