import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { statementFault } from '../database/index.js';
import { LOG, OutageTime, type Log } from '../logging/index.js';
import { Metrics } from '../metrics/index.js';
import { IdempotencyStore } from './idempotency.store.js';

/** Average time between two purges of one replica. Milliseconds. */
const PERIOD_MS = 60_000;

/** Deletes expired records in small batches. Every replica does it. */
@Injectable()
export class IdempotencyPurge implements OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private isOver = false;
  /** The failure in the last log line. */
  private failure: string | undefined;
  private outage: OutageTime | undefined;

  constructor(
    private readonly store: IdempotencyStore,
    @Inject(LOG) private readonly log: Pick<Log, 'info' | 'warn'>,
    private readonly metrics: Metrics,
  ) {}

  start(): void {
    if (this.isOver) return;
    // Jitter: replicas that started together should not purge at the same time.
    this.timer = setTimeout(() => void this.run(), PERIOD_MS * (0.5 + Math.random())).unref();
  }

  onApplicationShutdown(): void {
    this.isOver = true;
    clearTimeout(this.timer);
  }

  private async run(): Promise<void> {
    try {
      while (!this.isOver && (await this.store.purge()) > 0);
      this.report(undefined);
    } catch (error) {
      // The next run, or another replica, deletes the records.
      this.metrics.idempotencyPurgeFailures.inc();
      this.report(error);
    }
    this.start();
  }

  /** Logs one line for each change of state, not for each attempt. */
  private report(err: unknown): void {
    const failure = err === undefined ? undefined : statementFault(err).type;
    if (failure === this.failure) return;
    this.failure = failure;
    this.outage ??= new OutageTime();
    const { since, seconds } = this.outage;
    if (failure === undefined) {
      this.outage = undefined;
      const fields = { event: 'idempotency.purge_recovered', since, seconds };
      this.log.info(fields, 'Expired idempotency records are deleted again');
    } else {
      this.log.warn(
        { event: 'idempotency.purge_failed', since, err },
        'Expired idempotency records cannot be deleted, so their table grows; trying again each minute. See err.code in docs/operating/incidents.md',
      );
    }
  }
}
