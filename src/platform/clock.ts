/** The wall clock, injectable so that a test can stand on another day. Durations are measured elsewhere, monotonic. */
export abstract class Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  abstract now(): number;
}

/** Milliseconds of a day. */
export const DAY_MS = 86_400_000;

export class SystemClock extends Clock {
  now(): number {
    return Date.now();
  }
}
