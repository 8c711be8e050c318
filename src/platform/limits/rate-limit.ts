import type { RateLimiterRedis } from 'rate-limiter-flexible';
import type { SharedCounters } from './shared-counters.js';

/** Seconds over which requests are counted. */
export const WINDOW_SECONDS = 60;
/** Keys at most that are counted at once. */
const CAPACITY = 100_000;

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
    readonly perMinute: number,
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
    const counted = await this.shared?.consume(common, key);
    return counted === undefined ? this.countHere(key) : this.allowance(counted.consumedPoints, counted.msBeforeNext);
  }

  private countHere(key: string): Allowance {
    const { count, leftMs } = this.own.count(key);
    return this.allowance(count, leftMs);
  }

  private allowance(count: number, leftMs: number): Allowance {
    return {
      allowed: count <= this.perMinute,
      remaining: Math.max(0, this.perMinute - count),
      resetSeconds: Math.max(1, Math.ceil(leftMs / 1000)),
    };
  }
}

interface Window {
  count: number;
  windowEnd: number;
}

/**
 * Counts by key in windows, each of which begins with the first that is counted in it. What `RateLimiterMemory` does,
 * without a promise, an object and a timer of its own for each request. Bounded: where there are too many keys, the one
 * whose window began first makes room, so that a flood of addresses takes no memory for good.
 */
export class WindowCounter {
  private windows = new Map<string, Window>();
  private sweepAt = 0;

  /**
   * @param windowMs milliseconds.
   * @param capacity keys at most.
   */
  constructor(
    private readonly windowMs: number,
    private readonly now: () => number = () => performance.now(),
    private readonly capacity = CAPACITY,
  ) {}

  /** Counts one: how many there were in this window, and the milliseconds until it ends. */
  count(key: string): { count: number; leftMs: number } {
    const now = this.now();
    if (now >= this.sweepAt) this.sweep(now);
    let window = this.windows.get(key);
    if (window === undefined || now >= window.windowEnd) window = this.open(key, now);
    window.count += 1;
    return { count: window.count, leftMs: window.windowEnd - now };
  }

  private open(key: string, now: number): Window {
    // One that is renewed goes to the end of the row.
    this.windows.delete(key);
    if (this.windows.size >= this.capacity) this.windows.delete(this.windows.keys().next().value as string);
    const window = { count: 0, windowEnd: now + this.windowMs };
    this.windows.set(key, window);
    return window;
  }

  /** Keys that are not counted any more go, so that those of a flood of addresses do not stay. */
  private sweep(now: number): void {
    for (const [key, { windowEnd }] of this.windows) if (now >= windowEnd) this.windows.delete(key);
    this.sweepAt = now + this.windowMs;
  }
}
