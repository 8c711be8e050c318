import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { ApiError, coreErrors } from '../errors/index.js';
import { Metrics } from '../metrics/index.js';
import { RouteTable } from '../routing/index.js';
import { Deprecations } from './deprecations.js';

/** 410 `operation_removed` from an operation's sunset on, after the key is accepted; each use before that is counted. */
@Injectable()
export class RemovalGuard implements CanActivate {
  constructor(
    private readonly routes: RouteTable,
    private readonly deprecations: Deprecations,
    private readonly metrics: Metrics,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const route = this.routes.ofHandler(context.getClass(), context.getHandler());
    if (route?.deprecated === undefined) return true;
    if (this.deprecations.isRemoved(route)) throw new ApiError(coreErrors.operationRemoved);
    this.metrics.deprecatedRequests.inc({ http_route: route.path });
    return true;
  }
}
