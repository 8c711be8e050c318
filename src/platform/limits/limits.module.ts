import { Global, Module } from '@nestjs/common';
import { CONFIG, type Config } from '../config/index.js';
import { LOG, type Log } from '../logging/index.js';
import { Limits, RateLimitGuard } from './limits.js';
import { Overload } from './overload.js';

/** Rate limits by client and by source address, and refusal of work that is too much for this process. */
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
