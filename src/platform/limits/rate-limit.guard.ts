import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { ApiError, coreErrors } from '../errors/index.js';
import { exchangeOf } from '../http/index.js';
import { ClientRateLimit } from './client-rate-limit.js';
import type { Allowance } from './rate-limit.js';

/** 429 for a client that asks too often, and the RateLimit headers on all that comes after. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(private readonly clients: ClientRateLimit) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const allowance = this.clients.take(exchangeOf(context.switchToHttp().getRequest<object>()));
    return allowance instanceof Promise ? allowance.then(admit) : admit(allowance);
  }
}

function admit(allowance: Allowance | undefined): boolean {
  if (allowance === undefined || allowance.allowed) return true;
  const headers = { 'Retry-After': String(allowance.resetSeconds) };
  throw new ApiError(coreErrors.rateLimited, undefined, { headers });
}
