import { ApiError, coreErrors } from '../errors/index.js';

/** Seconds after which a client may try again when the database did not answer. */
export const RETRY_AFTER_SECONDS = 2;

const RETRY_LATER = { 'Retry-After': String(RETRY_AFTER_SECONDS) };

/** The database did not answer, or not in time; trying again may help. */
export function unavailable(cause: unknown): ApiError {
  return new ApiError(coreErrors.serviceUnavailable, undefined, { headers: RETRY_LATER, cause });
}

/** Another transaction held a lock for longer than a statement waits. */
export class LockWaitError extends ApiError {
  constructor(cause: unknown) {
    super(coreErrors.serviceUnavailable, undefined, { headers: RETRY_LATER, cause });
  }
}

/** A write, or a commit, whose reply never came: it may have happened. Nobody but the client can repeat it safely. */
export class OutcomeUnknownError extends ApiError {
  constructor(cause: unknown) {
    const message =
      'It is not known whether this was done. To repeat it is safe with the same Idempotency-Key; without one, look first.';
    super(coreErrors.serviceUnavailable, message, { headers: RETRY_LATER, cause });
  }
}

/** The database was not asked: its schema is not there yet, or too many wait for it already. */
export class NotAskedError extends Error {}

/** The database did not answer in time; what it does with the statement is not known. */
export class LateError extends Error {
  readonly code = 'DATABASE_TIMEOUT';

  constructor(milliseconds: number) {
    super(`No answer from the database within ${milliseconds} ms`);
    this.name = 'LateError';
  }
}

/**
 * Waits for `work` at most `milliseconds`.
 *
 * @param late called when the time is up, before the rejection with `service_unavailable`; it frees what `work` holds.
 */
export function within<T>(milliseconds: number, work: Promise<T>, late: () => void): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => {
      late();
      reject(unavailable(new LateError(milliseconds)));
    }, milliseconds);
    const settled = (): void => clearTimeout(timer);
    work.then(resolve, reject);
    work.then(settled, settled);
  });
}
