import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { ApiError, coreErrors } from '../errors/index.js';
import { exchangeOf, type Exchange } from '../http/index.js';
import { Limits } from './limits.js';
import { WINDOW_SECONDS, type Allowance } from './rate-limit.js';

/** 429 for a client that asks too often, and the RateLimit headers on all that an accepted key gets. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(private readonly limits: Limits) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const { clients, perMinute } = this.limits;
    const exchange = exchangeOf(context.switchToHttp().getRequest<object>());
    if (clients === undefined || exchange.principal === undefined) return true;
    const allowance = clients.count(exchange.principal.client);
    if (allowance instanceof Promise) return allowance.then((later) => admit(exchange, later, perMinute));
    return admit(exchange, allowance, perMinute);
  }
}

/** draft-ietf-httpapi-ratelimit-headers: the quota, and what is left of it. */
function admit(exchange: Exchange, { allowed, remaining, resetSeconds }: Allowance, perMinute: number): boolean {
  exchange.headers['RateLimit-Policy'] = `"default";q=${perMinute};w=${WINDOW_SECONDS}`;
  exchange.headers['RateLimit'] = `"default";r=${remaining};t=${resetSeconds}`;
  if (!allowed)
    throw new ApiError(coreErrors.rateLimited, undefined, { headers: { 'Retry-After': String(resetSeconds) } });
  return true;
}
