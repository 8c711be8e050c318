import type { ApiError } from '../errors/index.js';

/** Limits guessing: bad keys are counted per source address. Good keys never are, so none is refused for its address. */
export abstract class FailedAuthLimit {
  /**
   * Counts one bad key.
   *
   * @param address where the request came from, as TRUST_PROXY decides it.
   * @returns `rate_limited`, to answer with instead of the 401, once the address has used up its allowance.
   */
  abstract count(address: string): ApiError | undefined | Promise<ApiError | undefined>;
}
