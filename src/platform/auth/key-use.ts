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
 * Records the last day on which each key was accepted. Each key is written once per day, after a delay and in batches
 * of up to 64 keys. If a write fails, the next use of the key tries again. The first failure in a row is logged.
 */
export class KeyUse implements BeforeApplicationShutdown {
  private day = 0;
  /** Public ids used on `day`, written or not. */
  private noted = new Set<string>();
  private unwritten = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private failing = false;
  /** The timer serves many requests, so it runs outside the context of the request that starts it. */
  private readonly outside = AsyncLocalStorage.snapshot();

  /** @param delayMs how long a used key waits for others before they are written. Milliseconds. */
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

  /** Writes the keys that are not written yet. Never rejects: a failed write must not fail a request. */
  async write(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    // All replicas write in the same order, so two of them cannot deadlock.
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
