/** When an outage began, which every line about it has, whatever is done to the clock meanwhile, and how long it lasts. */
export class OutageTime {
  /** ISO 8601 in UTC, by the clock as the outage was seen first. */
  readonly since: string;

  /** @param startedAt monotonic, as `performance.now()` gives it. */
  constructor(private readonly startedAt = performance.now()) {
    this.since = new Date(Date.now() - (performance.now() - startedAt)).toISOString();
  }

  /** How long it has lasted by now, to a thousandth. */
  get seconds(): number {
    return Math.round(performance.now() - this.startedAt) / 1000;
  }
}
