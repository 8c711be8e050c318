/** The wall clock, injectable so that a test can stand on another day. Durations are measured elsewhere, monotonic. */
export abstract class Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  abstract now(): number;
}

export const DAY_MS = 86_400_000;

export class SystemClock extends Clock {
  now(): number {
    return Date.now();
  }
}

/**
 * What `work` comes to, or false where that takes longer than `milliseconds`; the work itself goes on.
 *
 * @throws (rejects) what `work` rejects with in that time.
 */
export function inTime<T>(milliseconds: number, work: Promise<T>): Promise<T | false> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => resolve(false), milliseconds);
    work.then(resolve, reject).finally(() => clearTimeout(late));
  });
}
