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

  canActivate(context: ExecutionContext): Promise<boolean> {
    return this.admit(exchangeOf(context.switchToHttp().getRequest<object>()));
  }

  override async count(exchange: Exchange): Promise<void> {
    await this.take(exchange);
  }

  override admit(exchange: Exchange): Promise<boolean> {
    return (exchange.quota ??= this.refuseBeyond(exchange));
  }

  private async refuseBeyond(exchange: Exchange): Promise<boolean> {
    const allowance = await this.take(exchange);
    if (allowance === undefined || allowance.allowed) return true;
    const headers = { 'Retry-After': String(allowance.resetSeconds) };
    throw new ApiError(coreErrors.rateLimited, undefined, { headers });
  }

  /** Counts as `count` does, and says what is left: undefined where no client is limited, or none is known. */
  private async take({ principal, headers }: Exchange): Promise<Allowance | undefined> {
    const { clients, perMinute } = this.limits;
    if (clients === undefined || principal === undefined) return undefined;
    const allowance = await clients.count(principal.client);
    // draft-ietf-httpapi-ratelimit-headers: the quota, and what is left of it.
    headers['RateLimit-Policy'] = `"default";q=${perMinute};w=${WINDOW_SECONDS}`;
    headers['RateLimit'] = `"default";r=${allowance.remaining};t=${allowance.resetSeconds}`;
    return allowance;
  }
}
