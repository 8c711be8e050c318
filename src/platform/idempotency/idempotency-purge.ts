import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../clock.js';
import { IdempotencyStore } from './idempotency.store.js';

/** Milliseconds between two purges of one replica, on average. */
const PERIOD_MS = 60_000;

/** Deletes expired records in small batches, by whichever replica gets to it. */
@Injectable()
export class IdempotencyPurge implements OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private isOver = false;

  constructor(
    private readonly store: IdempotencyStore,
    private readonly clock: Clock,
  ) {}

  start(): void {
    if (this.isOver) return;
    // Jitter keeps replicas that started together apart.
    this.timer = setTimeout(() => void this.run(), PERIOD_MS * (0.5 + Math.random())).unref();
  }

  onApplicationShutdown(): void {
    this.isOver = true;
    clearTimeout(this.timer);
  }

  private async run(): Promise<void> {
    try {
      while (!this.isOver && (await this.store.purge(this.clock.now())) > 0);
    } catch {
      // The next run, or another replica, gets to it.
    }
    this.start();
  }
}
