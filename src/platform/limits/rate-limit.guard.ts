import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { exchangeOf } from '../http/index.js';
import { ClientRateLimit } from './client-rate-limit.js';

/** 429 for a client that asks too often, and the RateLimit headers on all that comes after. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(private readonly clients: ClientRateLimit) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    return this.clients.admit(exchangeOf(context.switchToHttp().getRequest<object>()));
  }
}
