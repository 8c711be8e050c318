import { RateLimiterMemory, RateLimiterRes, type RateLimiterRedis } from 'rate-limiter-flexible';
import type { SharedCounters } from './shared-counters.js';

/** Seconds over which requests are counted. */
export const WINDOW_SECONDS = 60;

export interface Allowance {
  readonly allowed: boolean;
  /** Requests left in the window. */
  readonly remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number;
}

/** Counts by key in windows of a minute: in Redis where replicas share one, else in this process. */
export class RateLimit {
  private readonly own: RateLimiterMemory;
  private readonly common: RateLimiterRedis | undefined;

  /**
   * @param name tells the counters of one limit from those of another.
   * @param perMinute how many are allowed; at least 1.
   * @param shared Redis; while it does not answer, each replica counts for itself.
   */
  constructor(
    name: string,
    perMinute: number,
    private readonly shared: SharedCounters | undefined,
  ) {
    const options = { keyPrefix: `animal-store:${name}`, points: perMinute, duration: WINDOW_SECONDS };
    this.own = new RateLimiterMemory(options);
    this.common = shared?.limiter(options);
  }

  /** Counts one. */
  async count(key: string): Promise<Allowance> {
    try {
      return allowance(await this.consume(key), true);
    } catch (refused) {
      if (refused instanceof RateLimiterRes) return allowance(refused, false);
      throw refused;
    }
  }

  private async consume(key: string): Promise<RateLimiterRes> {
    const counted = this.common && (await this.shared?.consume(this.common, key));
    return counted ?? this.own.consume(key);
  }
}

function allowance({ remainingPoints, msBeforeNext }: RateLimiterRes, allowed: boolean): Allowance {
  return {
    allowed,
    remaining: Math.max(0, remainingPoints),
    resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
  };
}
