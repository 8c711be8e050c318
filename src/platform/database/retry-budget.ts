import { setTimeout as sleep } from 'node:timers/promises';
import { isConflict } from './database-failure.js';

/** Tries in all, each after a random pause of up to 50, then 100 ms. */
const TRIES = 3;
/** Successes after which one more try is allowed, so that in an outage the load grows by a tenth at most. */
const PRICE = 10;
/** The highest budget, which is that of the start too: ten tries. */
const MOST = 10 * PRICE;

/**
 * How often this process may try a statement again. Where nothing succeeds the tries end, and a database that is in
 * trouble is not given three times its load (Amazon Builders' Library, "Timeouts, retries, and backoff with jitter").
 */
export class RetryBudget {
  private saved = MOST;

  /**
   * Does `work` until it succeeds, three times at most.
   *
   * @param lastTryAt monotonic milliseconds, after which no other try begins.
   * @param codeToRepeat the code of what makes it safe to try again; undefined where it is not.
   * @param retried called before each further try.
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
        // A conflict with another transaction is no outage that more statements would make worse.
        if (!isConflict(code) && !this.spend()) throw thrown;
        retried(code);
        await sleep(Math.random() * 50 * attempt);
      }
    }
  }

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
