import { AsyncLocalStorage } from 'node:async_hooks';
import type { BeforeApplicationShutdown } from '@nestjs/common';
import type { Clock } from '../time.js';
import type { Log } from '../logging/index.js';
import { dayOf } from './api-key.js';

/** @throws {QueryFailedError} (rejects). */
export type MarkUsed = (ids: readonly string[], day: number) => Promise<void>;

const BATCH_SIZE = 64;
const DEFAULT_DELAY_MS = 1000;

/**
 * Remembers on which day a key was last accepted. The database is written once per key and day, a moment later and
 * many keys at a time. A day that cannot be written is dropped and noted again by the key's next use; the first such
 * failure in a row is logged.
 */
export class KeyUse implements BeforeApplicationShutdown {
  private day = 0;
  /** Public ids noted on `day`, written or not. */
  private noted = new Set<string>();
  private unwritten = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private failing = false;
  /** The timer works for many requests, so not in the context of the one that happens to start it. */
  private readonly outside = AsyncLocalStorage.snapshot();

  /** @param delayMs how long noted keys wait for others before they are written. */
  constructor(
    private readonly markUsed: MarkUsed,
    private readonly clock: Clock,
    private readonly log: Pick<Log, 'warn'>,
    private readonly delayMs = DEFAULT_DELAY_MS,
  ) {}

  note(id: string): void {
    const today = dayOf(this.clock.now());
    if (today !== this.day) this.begin(today);
    if (this.noted.has(id)) return;
    this.noted.add(id);
    this.unwritten.add(id);
    this.timer ??= this.outside(() => setTimeout(() => void this.write(), this.delayMs).unref());
  }

  /** Writes what is noted. Never rejects: a use that goes unrecorded must cost no request. */
  async write(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    // In one order everywhere, so that two replicas cannot lock each other's rows crosswise.
    const ids = [...this.unwritten].sort();
    this.unwritten = new Set();
    const day = this.day;
    for (let start = 0; start < ids.length; start += BATCH_SIZE) {
      await this.writeBatch(ids.slice(start, start + BATCH_SIZE), day);
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.write();
  }

  private begin(day: number): void {
    void this.write();
    this.day = day;
    this.noted = new Set();
  }

  private async writeBatch(ids: readonly string[], day: number): Promise<void> {
    try {
      await this.markUsed(ids, day);
      this.failing = false;
    } catch (err) {
      if (day === this.day) for (const id of ids) this.noted.delete(id);
      if (!this.failing) this.log.warn({ event: 'key.use_unrecorded', err }, 'When keys are used cannot be recorded');
      this.failing = true;
    }
  }
}
