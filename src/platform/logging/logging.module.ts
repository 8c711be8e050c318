import { Module, type DynamicModule } from '@nestjs/common';
import { LOG, type Log } from './log.js';

/** The service's log, by `LOG`. */
@Module({})
export class LoggingModule {
  static of(log: Log): DynamicModule {
    return { module: LoggingModule, global: true, providers: [{ provide: LOG, useValue: log }], exports: [LOG] };
  }
}
