import { Global, Module } from '@nestjs/common';
import { CONFIG, type Config } from '../config/index.js';
import { LOG, type Log } from '../logging/index.js';
import { Limits, RateLimitGuard } from './limits.js';
import { Overload } from './overload.js';

/** Rate limits for clients and for source addresses, and the refusal of requests under overload. */
@Global()
@Module({
  providers: [
    { provide: Limits, useFactory: (config: Config, log: Log) => Limits.open(config, log), inject: [CONFIG, LOG] },
    RateLimitGuard,
    Overload,
  ],
  exports: [Limits, Overload],
})
export class LimitsModule {}
