import { type OnApplicationShutdown, Injectable } from '@nestjs/common';
import type { Config } from '../config/index.js';
import type { Log } from '../logging/index.js';
import { RateLimit } from './rate-limit.js';
import { SharedCounters } from './shared-counters.js';
import { FailedAuthLimit } from '../auth/index.js';
import { ApiError, coreErrors } from '../errors/index.js';

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
