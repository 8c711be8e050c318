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

/** The database did not answer in time; what it does with the statement is not known. */
export class LateError extends Error {
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
export async function within<T>(milliseconds: number, work: Promise<T>, late: () => void): Promise<T> {
  const { promise: lateness, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late();
    reject(unavailable(new LateError(milliseconds)));
  }, milliseconds);
  try {
    return await Promise.race([work, lateness]);
  } finally {
    clearTimeout(timer);
  }
}
