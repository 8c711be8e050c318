import { Clock } from '../platform/clock.js';

/** A clock that stands where a test puts it. */
export class FixedClock extends Clock {
  private time: number;

  /** @param instant ISO 8601, e.g. `2030-12-05T00:00:00Z`. */
  constructor(instant: string) {
    super();
    this.time = Date.parse(instant);
    if (Number.isNaN(this.time)) throw new TypeError(`'${instant}' is not an ISO 8601 date`);
  }

  now(): number {
    return this.time;
  }

  advance(milliseconds: number): void {
    this.time += milliseconds;
  }
}
