import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config } from '../config/index.js';
import { LOG, type Log } from '../logging/index.js';
import { RateLimit } from './rate-limit.js';
import { SharedCounters } from './shared-counters.js';

/** The limits that are configured. */
@Injectable()
export class Limits implements OnApplicationShutdown {
  /** Requests of a client; undefined where RATE_LIMIT_PER_MINUTE is 0. */
  readonly clients: RateLimit | undefined;
  /** Bad keys of a source address; undefined where AUTH_FAILURES_PER_MINUTE is 0. */
  readonly failures: RateLimit | undefined;
  /** Requests a client may make in a minute. */
  readonly perMinute: number;
  private readonly shared: SharedCounters | undefined;

  constructor(@Inject(CONFIG) { limits, auth }: Config, @Inject(LOG) log: Log) {
    this.shared = limits.redisUrl === undefined ? undefined : new SharedCounters(limits.redisUrl, log);
    this.perMinute = limits.perMinute;
    this.clients = limits.perMinute === 0 ? undefined : new RateLimit('clients', limits.perMinute, this.shared);
    this.failures =
      auth.failuresPerMinute === 0 ? undefined : new RateLimit('failures', auth.failuresPerMinute, this.shared);
  }

  onApplicationShutdown(): void {
    this.shared?.close();
  }
}
