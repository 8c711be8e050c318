import { Global, Module } from '@nestjs/common';
import { LOG, type Log } from '../logging/index.js';
import { BodyGuard } from './body.guard.js';
import { Deadline } from './deadline.js';
import { ErrorFilter } from './error.filter.js';
import { NegotiationGuard } from './negotiation.guard.js';
import { Responder } from './responder.js';
import { RouteGuard } from './route.guard.js';
import { Unmatched } from './unmatched.js';

/** What a request goes through besides the key, the limits and the handler. */
@Global()
@Module({
  providers: [
    RouteGuard,
    NegotiationGuard,
    BodyGuard,
    Deadline,
    Responder,
    Unmatched,
    { provide: ErrorFilter, useFactory: (log: Log) => new ErrorFilter(log), inject: [LOG] },
  ],
  exports: [Deadline, Responder, Unmatched, ErrorFilter],
})
export class HttpModule {}
