import { Injectable, type CanActivate, type ExecutionContext, type OnApplicationShutdown } from '@nestjs/common';
import type { Config } from '../config/index.js';
import { ApiError, coreErrors } from '../errors/index.js';
import { exchangeOf, type Exchange } from '../http/index.js';
import type { Log } from '../logging/index.js';
import { RateLimit, WINDOW_SECONDS, type Allowance } from './rate-limit.js';
import { SharedCounters } from './shared-counters.js';

/** Limits the requests of each client, and the requests with a bad key from each source address. */
export class Limits implements OnApplicationShutdown {
  /** Counts requests by client; undefined if RATE_LIMIT_PER_MINUTE is 0. */
  private readonly clients: RateLimit | undefined;
  /** Counts bad keys by source address; undefined if AUTH_FAILURES_PER_MINUTE is 0. */
  private readonly failures: RateLimit | undefined;

  constructor(
    { limits, auth }: Pick<Config, 'limits' | 'auth'>,
    private readonly shared?: SharedCounters,
  ) {
    const limit = (name: string, perMinute: number): RateLimit | undefined =>
      perMinute === 0 ? undefined : new RateLimit(name, perMinute, shared);
    this.clients = limit('clients', limits.perMinute);
    this.failures = limit('failures', auth.failuresPerMinute);
  }

  static async open(config: Config, log: Log): Promise<Limits> {
    const { redisUrl } = config.limits;
    return new Limits(config, redisUrl === undefined ? undefined : await SharedCounters.reach(redisUrl, log));
  }

  onApplicationShutdown(): void {
    this.shared?.close();
  }

  /**
   * Counts a request with a bad key, to limit guessing. Requests with a good key are never counted or refused by
   * address.
   *
   * @param source the source address, determined by TRUST_PROXY: an IPv4 address or an IPv6 /64.
   * @returns `rate_limited`, to send instead of the 401, after the source has used up its allowance.
   */
  async countFailure(source: string): Promise<ApiError | undefined> {
    const allowance = await this.failures?.count(source);
    return allowance && faultOf(allowance, 'Too many requests with a bad API key. Try again later.');
  }

  /**
   * Counts a request of the exchange's client, and adds the RateLimit headers to its response. A request whose key
   * lacks a scope is counted too, but is still answered with 403.
   *
   * @returns the rest of the allowance; undefined if clients are not limited, or if the client is not known.
   */
  count(exchange: Exchange): Allowance | undefined | Promise<Allowance> {
    const { clients } = this;
    if (clients === undefined || exchange.principal === undefined) return undefined;
    const { perMinute } = clients;
    const allowance = clients.count(exchange.principal.client);
    if (allowance instanceof Promise) return allowance.then((later) => addHeaders(exchange, later, perMinute));
    return addHeaders(exchange, allowance, perMinute);
  }

  /**
   * Counts an exchange's request at most once, and refuses it beyond the limit.
   *
   * @throws {ApiError} (rejects) rate_limited.
   */
  admit(exchange: Exchange): boolean | Promise<boolean> {
    return (exchange.quota ??= this.refuseBeyond(exchange));
  }

  private refuseBeyond(exchange: Exchange): boolean | Promise<boolean> {
    const allowance = this.count(exchange);
    return allowance instanceof Promise ? allowance.then(isAllowed) : isAllowed(allowance);
  }
}

/** Answers 429 to a client beyond its limit, and adds the RateLimit headers to the responses from here on. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(private readonly limits: Limits) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    return this.limits.admit(exchangeOf(context.switchToHttp().getRequest<object>()));
  }
}

/** Adds the quota and the rest of it to the response (draft-ietf-httpapi-ratelimit-headers). */
function addHeaders(exchange: Exchange, allowance: Allowance, perMinute: number): Allowance {
  exchange.headers['RateLimit-Policy'] = `"default";q=${perMinute};w=${WINDOW_SECONDS}`;
  exchange.headers['RateLimit'] = `"default";r=${allowance.remaining};t=${allowance.resetSeconds}`;
  return allowance;
}

/** Rejects instead of throwing, so that `admit` keeps the result, and a second call does not count again. */
function isAllowed(allowance: Allowance | undefined): boolean | Promise<boolean> {
  const fault = allowance && faultOf(allowance);
  return fault === undefined || Promise.reject(fault);
}

function faultOf({ allowed, resetSeconds }: Allowance, message?: string): ApiError | undefined {
  if (allowed) return undefined;
  return new ApiError(coreErrors.rateLimited, message, { headers: { 'Retry-After': String(resetSeconds) } });
}
