import { Injectable, type CanActivate, type ExecutionContext, type OnApplicationShutdown } from '@nestjs/common';
import { ClientQuota, FailedAuthLimit } from '../auth/index.js';
import type { Config } from '../config/index.js';
import { ApiError, coreErrors } from '../errors/index.js';
import { exchangeOf, type Exchange } from '../http/index.js';
import type { Log } from '../logging/index.js';
import { RateLimit, WINDOW_SECONDS, type Allowance } from './rate-limit.js';
import { SharedCounters } from './shared-counters.js';

/** The limits that are configured. */
export class Limits implements OnApplicationShutdown {
  /** Requests of a client; undefined where RATE_LIMIT_PER_MINUTE is 0. */
  readonly clients: RateLimit | undefined;
  /** Bad keys of a source address; undefined where AUTH_FAILURES_PER_MINUTE is 0. */
  readonly failures: RateLimit | undefined;

  private constructor(
    { limits, auth }: Config,
    private readonly shared: SharedCounters | undefined,
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
}

/** FailedAuthLimit by the counters of `Limits`. */
@Injectable()
export class AddressFailedAuthLimit extends FailedAuthLimit {
  constructor(private readonly limits: Limits) {
    super();
  }

  async count(address: string): Promise<ApiError | undefined> {
    const allowance = await this.limits.failures?.count(address);
    return allowance && faultOf(allowance, 'Too many requests with a bad API key. Try again later.');
  }
}

/** 429 for a client that asks too often, and the RateLimit headers on all that comes after: `ClientQuota` by `Limits`. */
@Injectable()
export class RateLimitGuard extends ClientQuota implements CanActivate {
  constructor(private readonly limits: Limits) {
    super();
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    return this.admit(exchangeOf(context.switchToHttp().getRequest<object>()));
  }

  override count(exchange: Exchange): void | Promise<void> {
    return after(this.take(exchange), () => undefined);
  }

  override admit(exchange: Exchange): boolean | Promise<boolean> {
    return (exchange.quota ??= after(this.take(exchange), isAllowed));
  }

  /** Counts as `count` does, and says what is left: undefined where no client is limited, or none is known. */
  private take(exchange: Exchange): Allowance | undefined | Promise<Allowance> {
    const { clients } = this.limits;
    if (clients === undefined || exchange.principal === undefined) return undefined;
    const { perMinute } = clients;
    const allowance = clients.count(exchange.principal.client);
    if (allowance instanceof Promise) return allowance.then((later) => addHeaders(exchange, later, perMinute));
    return addHeaders(exchange, allowance, perMinute);
  }
}

/** A promise only where it waits for one: what is known already is to go on at once. */
function after<T, U>(value: T | Promise<T>, then: (value: T) => U | Promise<U>): U | Promise<U> {
  return value instanceof Promise ? value.then(then) : then(value);
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
