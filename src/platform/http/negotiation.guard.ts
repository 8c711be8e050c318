import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { ApiError, coreErrors } from '../errors/index.js';
import { JSON_MEDIA } from '../routing/index.js';
import { refuseQuery } from '../validation/index.js';
import { JSON_TYPE } from './answer.js';
import { exchangeOf } from './exchange.js';

/**
 * 406 where `Accept` excludes all that the operation answers (RFC 9110 §12.5.1), and 400 for a query that no part of the
 * handler declares. A route with a body has its query refused after the body, since 415 and 413 come first.
 */
@Injectable()
export class NegotiationGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    const exchange = exchangeOf(request);
    const { route, body } = exchange;
    const accept = request.headers.accept;
    if (accept !== undefined && accept !== '*/*') requireAcceptable(request, route?.produces ?? [JSON_MEDIA]);
    if (route?.queryNames !== undefined && body === undefined) refuseQuery(exchange.query, route.queryNames);
    return true;
  }
}

function requireAcceptable(request: Request, produces: readonly string[]): void {
  if (produces.length === 0 || produces.includes(request.headers.accept ?? '')) return;
  const types = produces.map((type) => (type === JSON_MEDIA ? JSON_TYPE : type));
  if (request.accepts(types) !== false) return;
  const isJson = produces.length === 1 && produces[0] === JSON_MEDIA;
  throw new ApiError(
    coreErrors.notAcceptable,
    isJson ? undefined : `Answers are ${produces.join(' or ')}, which Accept excludes.`,
  );
}
