import type { createClient } from 'redis';
import type { IRateLimiterRedisOptions } from 'rate-limiter-flexible';
import type { Log } from '../logging/index.js';

/** Milliseconds that Redis may take to answer before a replica counts for itself. */
const COMMAND_TIMEOUT_MS = 250;
/** Milliseconds between tries to reach Redis again. */
const LONGEST_PAUSE_MS = 2000;

/** The Redis that replicas share their counters in. Its loss and its return are one log line each. */
export class SharedCounters {
  private lost = false;

  private constructor(
    private readonly client: ReturnType<typeof createClient>,
    private readonly log: Log,
  ) {
    client.on('error', (error: unknown) => this.lose(error));
    client.on('ready', () => this.regain());
    void client.connect().catch((error: unknown) => this.lose(error));
  }

  /** Begins to reach Redis, which may take its time. Its client is loaded only here: it costs 30 MB of memory. */
  static async reach(url: string, log: Log): Promise<SharedCounters> {
    const redis = await import('redis');
    const client = redis.createClient({
      url,
      disableOfflineQueue: true,
      commandOptions: { timeout: COMMAND_TIMEOUT_MS },
      socket: {
        connectTimeout: 1000,
        reconnectStrategy: (attempt) => Math.min(50 * 2 ** attempt, LONGEST_PAUSE_MS),
      },
    });
    return new SharedCounters(client as ReturnType<typeof createClient>, log);
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
