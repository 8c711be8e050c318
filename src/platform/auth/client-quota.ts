import type { Exchange } from '../http/index.js';

/** How much a client may ask. What its key lacks a scope for is counted and told as well, and not refused for that. */
export abstract class ClientQuota {
  /** Counts a request of the exchange's principal, and puts what is left on its answer. */
  abstract count(exchange: Exchange): void | Promise<void>;
  /** The same, once for each exchange. @throws {ApiError} (or rejects) rate_limited. */
  abstract admit(exchange: Exchange): boolean | Promise<boolean>;
}
