import { type OnApplicationShutdown, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Config } from '../config/index.js';
import type { Log } from '../logging/index.js';
import { RateLimit, WINDOW_SECONDS, type Allowance } from './rate-limit.js';
import { SharedCounters } from './shared-counters.js';
import { FailedAuthLimit, ClientQuota } from '../auth/index.js';
import { ApiError, coreErrors } from '../errors/index.js';
import { type Exchange, exchangeOf } from '../http/index.js';

/** The limits that are configured. */
export class Limits implements OnApplicationShutdown {
  /** Requests of a client; undefined where RATE_LIMIT_PER_MINUTE is 0. */
  readonly clients: RateLimit | undefined;
  /** Bad keys of a source address; undefined where AUTH_FAILURES_PER_MINUTE is 0. */
  readonly failures: RateLimit | undefined;
  /** Requests a client may make in a minute. */
  readonly perMinute: number;

  private constructor(
    { limits, auth }: Config,
    private readonly shared: SharedCounters | undefined,
  ) {
    this.perMinute = limits.perMinute;
    this.clients = limits.perMinute === 0 ? undefined : new RateLimit('clients', limits.perMinute, shared);
    this.failures =
      auth.failuresPerMinute === 0 ? undefined : new RateLimit('failures', auth.failuresPerMinute, shared);
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
    if (allowance === undefined || allowance.allowed) return undefined;
    return new ApiError(coreErrors.rateLimited, 'Too many requests with a bad API key. Try again later.', {
      headers: { 'Retry-After': String(allowance.resetSeconds) },
    });
  }
}

/** ClientQuota by the counters of `Limits`. */
@Injectable()
export class ClientRateLimit extends ClientQuota {
  constructor(private readonly limits: Limits) {
    super();
  }

  override count(exchange: Exchange): void | Promise<void> {
    const allowance = this.take(exchange);
    return allowance instanceof Promise ? allowance.then(() => undefined) : undefined;
  }

  override admit(exchange: Exchange): boolean | Promise<boolean> {
    return (exchange.quota ??= this.refuseBeyond(exchange));
  }

  private refuseBeyond(exchange: Exchange): boolean | Promise<boolean> {
    const allowance = this.take(exchange);
    return allowance instanceof Promise ? allowance.then(isAllowed) : isAllowed(allowance);
  }

  /** Counts as `count` does, and says what is left: undefined where no client is limited, or none is known. */
  private take(exchange: Exchange): Allowance | undefined | Promise<Allowance> {
    const { clients, perMinute } = this.limits;
    if (clients === undefined || exchange.principal === undefined) return undefined;
    const allowance = clients.count(exchange.principal.client);
    if (allowance instanceof Promise) return allowance.then((later) => addHeaders(exchange, later, perMinute));
    return addHeaders(exchange, allowance, perMinute);
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
  if (allowance === undefined || allowance.allowed) return true;
  const headers = { 'Retry-After': String(allowance.resetSeconds) };
  return Promise.reject(new ApiError(coreErrors.rateLimited, undefined, { headers }));
}

/** 429 for a client that asks too often, and the RateLimit headers on all that comes after. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(private readonly clients: ClientRateLimit) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    return this.clients.admit(exchangeOf(context.switchToHttp().getRequest<object>()));
  }
}
