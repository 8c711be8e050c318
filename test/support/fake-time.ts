import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from './command.js';
import { removeScratch, scratchFolder } from './scratch.js';

/**
 * Where Debian's libfaketime puts it. The command `faketime` would know, but it fails where a process of its own number
 * was killed before and left a semaphore.
 */
const LIBRARY = globSync('/usr/lib/*/faketime/libfaketime.so.1')[0];

/** The time that processes of a test's believe in, by libfaketime. */
export class FakeTime {
  readonly #folder = scratchFolder('clock');
  readonly #file = join(this.#folder, 'time');
  /** What a process is started with. */
  readonly env: Environment;

  /** @param timers whether timers and durations jump with the clock, as if that time had passed; else it is only set. */
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

  /** @param to as libfaketime takes it: `+3600` seconds from now, or `@` and a moment from which time goes on. */
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
