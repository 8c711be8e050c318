import { inTime } from '../in-time.js';

/** The database did not answer in time; what it does with the statement is not known. */
export class LateError extends Error {
  readonly code = 'DATABASE_TIMEOUT';

  constructor(milliseconds: number) {
    super(`No answer from the database within ${milliseconds} ms`);
    this.name = 'LateError';
  }
}

/** Waits for `work` at most `milliseconds`, after which it rejects with a `LateError`. */
export async function withDeadline<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const done = work.then(() => true);
  if (!(await inTime(milliseconds, done))) throw new LateError(milliseconds);
  return work;
}
