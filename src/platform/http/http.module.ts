import { Global, Module } from '@nestjs/common';
import { Responder } from './answer.js';
import { Deadline } from './deadline.js';
import { ErrorFilter } from './error.filter.js';
import { ExchangeObserver } from './exchange-observer.js';
import { BodyGuard, NegotiationGuard, RouteGuard } from './request.guards.js';
import { Unmatched } from './unmatched.js';

const exported = [Deadline, ErrorFilter, ExchangeObserver, Responder, Unmatched];

/** The steps of a request, except the key, the limits and the handler. */
@Global()
@Module({ providers: [RouteGuard, NegotiationGuard, BodyGuard, ...exported], exports: exported })
export class HttpModule {}
