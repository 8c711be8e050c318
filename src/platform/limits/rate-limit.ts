import { RateLimiterRes, type RateLimiterRedis } from 'rate-limiter-flexible';
import type { SharedCounters } from './shared-counters.js';
import { WindowCounter } from './window-counter.js';

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
  private readonly own = new WindowCounter(WINDOW_SECONDS * 1000);
  private readonly common: RateLimiterRedis | undefined;

  /**
   * @param name begins the names of its counters in Redis.
   * @param perMinute how many are allowed; at least 1.
   * @param shared Redis; while it does not answer, each replica counts for itself.
   */
  constructor(
    name: string,
    private readonly perMinute: number,
    private readonly shared: SharedCounters | undefined,
  ) {
    const options = { keyPrefix: `animal-store:${name}`, points: perMinute, duration: WINDOW_SECONDS };
    this.common = shared?.limiter(options);
  }

  /**
   * Counts one: at once in this process, so that a request that waits for its body does not count as work while others of its
   * turn of the event loop are taken; else when Redis has answered.
   */
  count(key: string): Allowance | Promise<Allowance> {
    return this.common === undefined ? this.countHere(key) : this.countTogether(key, this.common);
  }

  private async countTogether(key: string, common: RateLimiterRedis): Promise<Allowance> {
    try {
      const counted = await this.shared?.consume(common, key);
      return counted === undefined ? this.countHere(key) : allowance(counted, true);
    } catch (refused) {
      if (refused instanceof RateLimiterRes) return allowance(refused, false);
      throw refused;
    }
  }

  private countHere(key: string): Allowance {
    const { count, leftMs } = this.own.count(key);
    return {
      allowed: count <= this.perMinute,
      remaining: Math.max(0, this.perMinute - count),
      resetSeconds: secondsOf(leftMs),
    };
  }
}

function allowance({ remainingPoints, msBeforeNext }: RateLimiterRes, allowed: boolean): Allowance {
  return { allowed, remaining: Math.max(0, remainingPoints), resetSeconds: secondsOf(msBeforeNext) };
}

const secondsOf = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000));
