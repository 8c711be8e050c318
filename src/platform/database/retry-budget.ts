/** Successes that pay for one try more, so that in an outage the load grows by a tenth at most. */
const PRICE = 10;
/** The most that is saved up, and what there is at the start: ten tries. */
const MOST = 10 * PRICE;

/**
 * How often this process may try a statement again. Where nothing succeeds the tries end, and a database that is in
 * trouble is not given three times its load (Amazon Builders' Library, "Timeouts, retries, and backoff with jitter").
 */
export class RetryBudget {
  private saved = MOST;

  /** @returns false where the budget is spent. */
  spend(): boolean {
    if (this.saved < PRICE) return false;
    this.saved -= PRICE;
    return true;
  }

  earn(): void {
    this.saved = Math.min(MOST, this.saved + 1);
  }
}
