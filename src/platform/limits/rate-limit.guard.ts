import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { ClientQuota } from '../auth/index.js';
import { ApiError, coreErrors } from '../errors/index.js';
import { exchangeOf, type Exchange } from '../http/index.js';
import { Limits } from './limits.js';
import { WINDOW_SECONDS, type Allowance } from './rate-limit.js';

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
