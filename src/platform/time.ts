/**
 * The wall clock. It is injected, so that a test can set another date. Durations are measured with a monotonic clock
 * instead.
 */
export abstract class Clock {
  /** Milliseconds since the Unix epoch. */
  abstract now(): number;
}

export const DAY_MS = 86_400_000;

export class SystemClock extends Clock {
  now(): number {
    return Date.now();
  }
}

/**
 * Awaits `work`, or returns false if it takes longer than `milliseconds`. The work is not cancelled.
 *
 * @throws (rejects) with the error of `work`, if it fails within that time.
 */
export function inTime<T>(milliseconds: number, work: Promise<T>): Promise<T | false> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => resolve(false), milliseconds);
    work.then(resolve, reject).finally(() => clearTimeout(late));
  });
}
