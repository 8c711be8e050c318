import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from './command.js';
import { removeScratch, scratchFolder } from './scratch.js';

/** The time that processes of a test's believe in, by libfaketime. */
export class FakeTime {
  readonly #folder = scratchFolder('clock');
  readonly #file = join(this.#folder, 'time');
  /** What a process is started with. */
  readonly env: Environment;

  /** @param timers whether timers and durations jump with the clock, as if that time had passed; else it is only set. */
  constructor({ timers }: { readonly timers: boolean }) {
    this.#write('+0');
    const environment = execFileSync('faketime', ['-f', '+0s', 'env'], { encoding: 'utf8' });
    this.env = {
      LD_PRELOAD: /^LD_PRELOAD=(.*)$/m.exec(environment)?.[1],
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
