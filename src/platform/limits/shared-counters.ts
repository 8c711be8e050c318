import { createClient } from 'redis';
import type { IRateLimiterRedisOptions } from 'rate-limiter-flexible';
import type { Log } from '../logging/index.js';

/** Milliseconds that Redis may take to answer before a replica counts for itself. */
const COMMAND_TIMEOUT_MS = 250;
/** Milliseconds between tries to reach Redis again. */
const LONGEST_PAUSE_MS = 2000;

/** The Redis that replicas share their counters in. Its loss and its return are one log line each. */
export class SharedCounters {
  private readonly client;
  private lost = false;

  constructor(
    url: string,
    private readonly log: Log,
  ) {
    this.client = createClient({
      url,
      disableOfflineQueue: true,
      commandOptions: { timeout: COMMAND_TIMEOUT_MS },
      socket: {
        connectTimeout: 1000,
        reconnectStrategy: (attempt) => Math.min(50 * 2 ** attempt, LONGEST_PAUSE_MS),
      },
    });
    this.client.on('error', (error: unknown) => this.lose(error));
    this.client.on('ready', () => this.regain());
    void this.client.connect().catch((error: unknown) => this.lose(error));
  }

  /** What a limiter needs to count here. */
  options(): Pick<IRateLimiterRedisOptions, 'storeClient' | 'useRedisPackage' | 'rejectIfRedisNotReady'> {
    return { storeClient: this.client, useRedisPackage: true, rejectIfRedisNotReady: true };
  }

  close(): void {
    this.client.destroy();
  }

  private lose(error: unknown): void {
    if (this.lost) return;
    this.lost = true;
    this.log.warn({ event: 'limits.local', err: error }, 'Redis does not answer; each replica limits for itself');
  }

  private regain(): void {
    if (this.lost) this.log.info({ event: 'limits.shared' }, 'Redis answers again; replicas share their limits');
    this.lost = false;
  }
}
