import { setTimeout as sleep } from 'node:timers/promises';
import { isConflict } from './database-failure.js';

/** Limit of attempts for one piece of work. The pause before a retry is random: up to 50 ms, then up to 100 ms. */
const TRIES = 3;
/** Number of successes that earn one retry. So in an outage the load grows by one tenth at most. */
const PRICE = 10;
/** The limit of the budget, and its value at the start: ten retries. */
const MOST = 10 * PRICE;

/**
 * Limits the retries of this process. If nothing succeeds, the retries end, so a database in trouble does not get three
 * times its load (Amazon Builders' Library, "Timeouts, retries, and backoff with jitter").
 */
export class RetryBudget {
  private saved = MOST;

  /**
   * Runs `work` until it succeeds, at most three times.
   *
   * @param lastTryAt no further attempt begins after this time. Milliseconds of `performance.now()`.
   * @param codeToRepeat returns the error code that makes a retry safe; undefined if it is not safe.
   * @param retried called before each retry.
   */
  async retry<T>(
    work: () => Promise<T>,
    lastTryAt: number,
    codeToRepeat: (thrown: unknown) => string | undefined,
    retried: (code: string) => void,
  ): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (thrown) {
        const code = codeToRepeat(thrown);
        if (code === undefined || attempt === TRIES || performance.now() > lastTryAt) throw thrown;
        // A conflict with another transaction is no outage, so it costs no budget.
        if (!isConflict(code) && !this.spend()) throw thrown;
        retried(code);
        await sleep(Math.random() * 50 * attempt);
      }
    }
  }

  /** @returns false if the budget is spent. */
  spend(): boolean {
    if (this.saved < PRICE) return false;
    this.saved -= PRICE;
    return true;
  }

  earn(): void {
    this.saved = Math.min(MOST, this.saved + 1);
  }
}
