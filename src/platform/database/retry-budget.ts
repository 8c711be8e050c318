/** Tries that may be spent before the first success, and the most that can be saved up. */
const MOST = 10;
/** What one success earns: as many tries more as successes, divided by this, so an outage is met by a tenth more load. */
const SUCCESSES_PER_TRY = 10;

/**
 * How often this process may try a statement again. Each try spends, each success earns a tenth: where nothing succeeds
 * tries end, and a database that is in trouble is not given three times its load (AWS, "Timeouts, retries and backoff
 * with jitter").
 */
export class RetryBudget {
  private saved = MOST;

  /** @returns false where the budget is spent. */
  spend(): boolean {
    if (this.saved < 1) return false;
    this.saved -= 1;
    return true;
  }

  earn(): void {
    this.saved = Math.min(MOST, this.saved + 1 / SUCCESSES_PER_TRY);
  }
}
