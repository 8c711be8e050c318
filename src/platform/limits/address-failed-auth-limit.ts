import { Injectable } from '@nestjs/common';
import { FailedAuthLimit } from '../auth/index.js';
import { ApiError, coreErrors } from '../errors/index.js';
import { Limits } from './limits.js';

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
