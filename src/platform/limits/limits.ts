import { Injectable, type CanActivate, type ExecutionContext, type OnApplicationShutdown } from '@nestjs/common';
import type { Config } from '../config/index.js';
import { ApiError, coreErrors } from '../errors/index.js';
import { exchangeOf, type Exchange } from '../http/index.js';
import type { Log } from '../logging/index.js';
import { RateLimit, WINDOW_SECONDS, type Allowance } from './rate-limit.js';
import { SharedCounters } from './shared-counters.js';

/** How much a client may ask, and how many bad keys may come from an address. */
export class Limits implements OnApplicationShutdown {
  /** Requests of a client; undefined where RATE_LIMIT_PER_MINUTE is 0. */
  private readonly clients: RateLimit | undefined;
  /** Bad keys of a source address; undefined where AUTH_FAILURES_PER_MINUTE is 0. */
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
   * Counts one bad key, which limits guessing. Good keys never are, so none is refused for its address.
   *
   * @param source where the request came from, as TRUST_PROXY decides it: an IPv4 address or an IPv6 /64.
   * @returns `rate_limited`, to answer with instead of the 401, once the source has used up its allowance.
   */
  async countFailure(source: string): Promise<ApiError | undefined> {
    const allowance = await this.failures?.count(source);
    return allowance && faultOf(allowance, 'Too many requests with a bad API key. Try again later.');
  }

  /**
   * Counts a request of the exchange's principal, and puts what is left on its answer. A request whose key lacks a scope is
   * counted too, but stays a 403.
   *
   * @returns what is left; undefined where no client is limited, or none is known.
   */
  count(exchange: Exchange): Allowance | undefined | Promise<Allowance> {
    const { clients } = this;
    if (clients === undefined || exchange.principal === undefined) return undefined;
    const { perMinute } = clients;
    const allowance = clients.count(exchange.principal.client);
    if (allowance instanceof Promise) return allowance.then((later) => addHeaders(exchange, later, perMinute));
    return addHeaders(exchange, allowance, perMinute);
  }

  /** The same, once for each exchange. @throws {ApiError} (rejects) rate_limited. */
  admit(exchange: Exchange): boolean | Promise<boolean> {
    return (exchange.quota ??= this.refuseBeyond(exchange));
  }

  private refuseBeyond(exchange: Exchange): boolean | Promise<boolean> {
    const allowance = this.count(exchange);
    return allowance instanceof Promise ? allowance.then(isAllowed) : isAllowed(allowance);
  }
}

/** 429 for a client that asks too often, and the RateLimit headers on all that comes after. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(private readonly limits: Limits) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    return this.limits.admit(exchangeOf(context.switchToHttp().getRequest<object>()));
  }
}

/** draft-ietf-httpapi-ratelimit-headers: the quota, and what is left of it. */
function addHeaders(exchange: Exchange, allowance: Allowance, perMinute: number): Allowance {
  exchange.headers['RateLimit-Policy'] = `"default";q=${perMinute};w=${WINDOW_SECONDS}`;
  exchange.headers['RateLimit'] = `"default";r=${allowance.remaining};t=${allowance.resetSeconds}`;
  return allowance;
}

/** Rejects rather than throws, so that the verdict is kept, and who asks again does not count again. */
function isAllowed(allowance: Allowance | undefined): boolean | Promise<boolean> {
  const fault = allowance && faultOf(allowance);
  return fault === undefined || Promise.reject(fault);
}

function faultOf({ allowed, resetSeconds }: Allowance, message?: string): ApiError | undefined {
  if (allowed) return undefined;
  return new ApiError(coreErrors.rateLimited, message, { headers: { 'Retry-After': String(resetSeconds) } });
}
