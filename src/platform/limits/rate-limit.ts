import type { RateLimiterRedis } from 'rate-limiter-flexible';
import type { SharedCounters } from './shared-counters.js';

/** The length of a window in seconds. */
export const WINDOW_SECONDS = 60;
/** The greatest number of keys that are counted at the same time. */
const CAPACITY = 100_000;

export interface Allowance {
  readonly allowed: boolean;
  /** Requests left in the window. */
  readonly remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number;
}

/** Counts requests by key in windows of one minute: in Redis if replicas share one, otherwise in this process. */
export class RateLimit {
  private readonly own = new WindowCounter(WINDOW_SECONDS * 1000);
  private readonly common: RateLimiterRedis | undefined;

  /**
   * @param name the prefix of its counters in Redis.
   * @param perMinute the number of requests that are allowed; at least 1.
   * @param shared Redis. While it does not answer, each replica counts for itself.
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
   * Counts one request. In this process the result is synchronous, so that a request that waits for its body does not
   * count as work while other requests of the same turn of the event loop are accepted. With Redis it is a promise.
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
 * Counts by key in windows. The window of a key begins with the first request that is counted in it. It does the same
 * as `RateLimiterMemory`, but without a promise, an object and a timer for each request. Its memory is bounded: at the
 * capacity, the key with the oldest window is removed, so that a flood of addresses does not fill the memory.
 */
export class WindowCounter {
  private windows = new Map<string, Window>();
  private sweepAt = 0;

  /**
   * @param windowMs milliseconds.
   * @param capacity the greatest number of keys.
   */
  constructor(
    private readonly windowMs: number,
    private readonly now: () => number = () => performance.now(),
    private readonly capacity = CAPACITY,
  ) {}

  /** Counts one request. Returns the count in this window, and the milliseconds until the window ends. */
  count(key: string): { count: number; leftMs: number } {
    const now = this.now();
    if (now >= this.sweepAt) this.sweep(now);
    let window = this.windows.get(key);
    if (window === undefined || now >= window.windowEnd) window = this.open(key, now);
    window.count += 1;
    return { count: window.count, leftMs: window.windowEnd - now };
  }

  private open(key: string, now: number): Window {
    // A renewed key moves to the end of the map, which stays sorted by age.
    this.windows.delete(key);
    if (this.windows.size >= this.capacity) this.windows.delete(this.windows.keys().next().value as string);
    const window = { count: 0, windowEnd: now + this.windowMs };
    this.windows.set(key, window);
    return window;
  }

  /** Removes ended windows, so that the keys of a flood of addresses do not stay. */
  private sweep(now: number): void {
    for (const [key, { windowEnd }] of this.windows) if (now >= windowEnd) this.windows.delete(key);
    this.sweepAt = now + this.windowMs;
  }
}
