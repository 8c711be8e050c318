import { Injectable } from '@nestjs/common';
import { ClientQuota } from '../auth/index.js';
import { ApiError, coreErrors } from '../errors/index.js';
import type { Exchange } from '../http/index.js';
import { Limits } from './limits.js';
import { WINDOW_SECONDS, type Allowance } from './rate-limit.js';

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
    if (allowance instanceof Promise) return allowance.then((later) => tell(exchange, later, perMinute));
    return tell(exchange, allowance, perMinute);
  }
}

/** draft-ietf-httpapi-ratelimit-headers: the quota, and what is left of it. */
function tell(exchange: Exchange, allowance: Allowance, perMinute: number): Allowance {
  exchange.headers['RateLimit-Policy'] = `"default";q=${perMinute};w=${WINDOW_SECONDS}`;
  exchange.headers['RateLimit'] = `"default";r=${allowance.remaining};t=${allowance.resetSeconds}`;
  return allowance;
}

function isAllowed(allowance: Allowance | undefined): boolean {
  if (allowance === undefined || allowance.allowed) return true;
  const headers = { 'Retry-After': String(allowance.resetSeconds) };
  throw new ApiError(coreErrors.rateLimited, undefined, { headers });
}
