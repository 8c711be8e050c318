import type { OnApplicationShutdown } from '@nestjs/common';
import type { Config } from '../config/index.js';
import type { Log } from '../logging/index.js';
import { RateLimit } from './rate-limit.js';
import { SharedCounters } from './shared-counters.js';

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
