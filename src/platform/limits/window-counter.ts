/** What was counted of one key. */
export interface Counted {
  /** In this window, this one included. */
  readonly count: number;
  /** Milliseconds until the window ends. */
  readonly leftMs: number;
}

/** Keys at most that are counted at once. */
const CAPACITY = 100_000;

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

  /** Counts one. */
  count(key: string): Counted {
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
