import { Global, Module } from '@nestjs/common';
import { ExchangeObserver } from './exchange-observer.js';
import { LoopWatch } from './loop-watch.js';

/** What watches requests and the event loop while the process runs. */
@Global()
@Module({ providers: [ExchangeObserver, LoopWatch], exports: [ExchangeObserver] })
export class LifecycleModule {}
