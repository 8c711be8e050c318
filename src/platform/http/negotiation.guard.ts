import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { ApiError, coreErrors } from '../errors/index.js';
import { refuseQuery } from '../validation/index.js';
import { JSON_TYPE } from './answer.js';
import { exchangeOf } from './exchange.js';

/**
 * 406 where `Accept` excludes JSON (RFC 9110 §12.5.1), and 400 for a query that no part of the handler
 * declares. A route with a body has its query refused after the body, since 415 and 413 come first.
 */
@Injectable()
export class NegotiationGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    const accept = request.headers.accept;
    if (accept !== undefined && accept !== '*/*' && accept !== 'application/json') {
      if (request.accepts(JSON_TYPE) === false) throw new ApiError(coreErrors.notAcceptable);
    }
    const exchange = exchangeOf(request);
    if (exchange.route !== undefined && !exchange.route.hasQuery && exchange.route.bodyType === undefined)
      refuseQuery(exchange.query);
    return true;
  }
}
