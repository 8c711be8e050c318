import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { CONFIG, type Config } from '../config/index.js';
import { ApiError, coreErrors, RETRY_SOON } from '../errors/index.js';
import { Deprecations, RouteTable } from '../routing/index.js';
import { Deadline } from './deadline.js';
import { exchangeOf } from './exchange.js';
import { mayTakeBody } from './body.guard.js';
import { RequestBody } from './request-body.js';

/** What every request gets until the features have started. */
export function starting(): ApiError {
  return new ApiError(coreErrors.serviceUnavailable, 'The service is starting. Try again shortly.', {
    headers: RETRY_SOON,
    cause: 'STARTING',
  });
}

/** The first guard: puts the operation and its unread body on the exchange, where every later step finds them. */
@Injectable()
export class RouteGuard implements CanActivate {
  constructor(
    private readonly routes: RouteTable,
    private readonly deprecations: Deprecations,
    private readonly deadline: Deadline,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const request = http.getRequest<IncomingMessage>();
    const route = this.routes.ofHandler(context.getClass(), context.getHandler());
    if (route === undefined) return true;
    const exchange = exchangeOf(request);
    if (exchange.isEarly) throw starting();
    exchange.route = route;
    this.deprecations.announce(exchange, route);
    const response = http.getResponse<ServerResponse>();
    if (!mayTakeBody(route)) {
      this.deadline.begin(exchange);
    } else {
      exchange.body = new RequestBody(request, response, {
        limitBytes: route.bodyLimitBytes ?? this.config.http.bodyLimitBytes,
        isRequired: route.bodyType !== undefined && route.bodyType !== Object,
        arrived: () => this.deadline.begin(exchange),
      });
    }
    return true;
  }
}
