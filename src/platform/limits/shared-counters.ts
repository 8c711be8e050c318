import type { createClient } from 'redis';
import { RateLimiterRedis, RateLimiterRes, type IRateLimiterOptions } from 'rate-limiter-flexible';
import { inTime } from '../time.js';
import { OutageTime, type Log } from '../logging/index.js';

/** Milliseconds that a replica waits for Redis before it counts for itself. */
const PATIENCE_MS = 250;
/** Milliseconds between checks of Redis. Redis is used again after the first successful count. */
const LOOK_EVERY_MS = 1000;
/** Milliseconds without data after which a connection is treated as dead. */
const SILENCE_MS = 3000;
/** The greatest number of milliseconds between attempts to connect to Redis again. */
const LONGEST_PAUSE_MS = 2000;

/**
 * The Redis in which replicas share their counters. While Redis is down, hangs or accepts no writes, no request waits
 * for it, and each replica counts for itself. One log line reports the loss, and one the return.
 */
export class SharedCounters {
  private isHere = false;
  private outage: OutageTime | undefined;
  private readonly probe: RateLimiterRedis;

  private constructor(
    private readonly client: ReturnType<typeof createClient>,
    private readonly host: string,
    private readonly log: Log,
  ) {
    this.probe = this.limiter({ keyPrefix: 'animal-store:probe', points: Number.MAX_SAFE_INTEGER, duration: 1 });
    client.on('error', (error: unknown) => this.lose(error));
    client.on('ready', () => void this.tryToCount());
    client.on('ping-interval', () => void this.tryToCount());
    void client.connect().catch((error: unknown) => this.lose(error));
  }

  /**
   * Begins to connect to Redis, without waiting for the connection. The client library is loaded only here, because it
   * costs memory.
   */
  static async reach(url: string, log: Log): Promise<SharedCounters> {
    // Both Node and a bundler put the whole CommonJS module into the default export.
    const { default: redis } = await import('redis');
    const client = redis.createClient({
      url,
      disableOfflineQueue: true,
      // The client's own timeout ends when a command is sent, so it does not help against a server that hangs.
      commandOptions: { timeout: 0 },
      pingInterval: LOOK_EVERY_MS,
      socket: {
        connectTimeout: LOOK_EVERY_MS,
        socketTimeout: SILENCE_MS,
        reconnectStrategy: (attempt) => Math.min(50 * 2 ** attempt, LONGEST_PAUSE_MS),
      },
    });
    return new SharedCounters(client as ReturnType<typeof createClient>, new URL(url).host, log);
  }

  /** Creates a limiter that counts in this Redis. */
  limiter(options: IRateLimiterOptions): RateLimiterRedis {
    return new RateLimiterRedis({ ...options, storeClient: this.client, useRedisPackage: true });
  }

  /**
   * Counts one request with a limiter, even if its allowance is used up.
   *
   * @returns undefined if Redis does not answer.
   */
  async consume(limiter: RateLimiterRedis, key: string): Promise<RateLimiterRes | undefined> {
    if (!this.isHere) return undefined;
    try {
      return await withinPatience(limiter.consume(key));
    } catch (error) {
      if (error instanceof RateLimiterRes) return error;
      this.lose(error);
      return undefined;
    }
  }

  close(): void {
    this.client.destroy();
  }

  private lose(error: unknown): void {
    if (this.outage !== undefined) return;
    this.isHere = false;
    this.outage = new OutageTime();
    const { since } = this.outage;
    this.log.warn(
      { event: 'limits.local', host: this.host, since, err: error },
      'Redis does not count; each replica limits for itself until it does. Check that it runs, can be reached from here and takes writes',
    );
  }

  /** A ping is not enough: a read-only replica, a full server and a read-only account answer it too. */
  private async tryToCount(): Promise<void> {
    if (this.isHere) return;
    try {
      await withinPatience(this.probe.consume('replicas'));
    } catch (error) {
      return this.lose(error);
    }
    this.isHere = true;
    if (this.outage !== undefined) {
      const { since, seconds } = this.outage;
      this.outage = undefined;
      const fields = { event: 'limits.shared', host: this.host, since, seconds };
      this.log.info(fields, 'Redis counts again; replicas share their limits');
    }
  }
}

async function withinPatience<T>(work: Promise<T>): Promise<T> {
  const answer = await inTime(PATIENCE_MS, work);
  if (answer === false) throw new Error(`No answer from Redis within ${PATIENCE_MS} ms`);
  return answer;
}
