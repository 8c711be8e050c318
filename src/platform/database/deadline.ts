/** The database did not answer in time; what it does with the statement is not known. */
export class LateError extends Error {
  readonly code = 'DATABASE_TIMEOUT';

  constructor(milliseconds: number) {
    super(`No answer from the database within ${milliseconds} ms`);
    this.name = 'LateError';
  }
}

/** Waits for `work` at most `milliseconds`, after which it rejects with a `LateError`. */
export function withDeadline<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(new LateError(milliseconds)), milliseconds);
    const settled = (): void => clearTimeout(timer);
    work.then(resolve, reject);
    work.then(settled, settled);
  });
}
