import type { ApiError } from '../errors/index.js';

/** Limits guessing: bad keys are counted per source address. Good keys never are, so none is refused for its address. */
export abstract class FailedAuthLimit {
  /**
   * Counts one bad key.
   *
   * @param source where the request came from, as TRUST_PROXY decides it: an IPv4 address or an IPv6 /64.
   * @returns `rate_limited`, to answer with instead of the 401, once the source has used up its allowance.
   */
  abstract count(source: string): ApiError | undefined | Promise<ApiError | undefined>;
}
