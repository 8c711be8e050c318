import { ApiError, coreErrors } from '../errors/index.js';

/** Seconds after which a client may try again. */
const RETRY_LATER = { 'Retry-After': '2' } as const;

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

/** The cause where the database was not asked: its schema is not there yet, or too many wait for it already. */
export class NotAskedError extends Error {
  readonly code = 'DATABASE_NOT_ASKED';
}
