import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApiError, coreErrors } from '../errors/index.js';
import { Deprecations, RouteTable, type Route } from '../routing/index.js';
import { Answer, sendAnswer } from './answer.js';
import { exchangeOf, type Exchange } from './exchange.js';

/** Answers requests that match no route: OPTIONS and 405 if the path has other methods, else 404. */
@Injectable()
export class Unmatched {
  constructor(
    private readonly routes: RouteTable,
    private readonly deprecations: Deprecations,
  ) {}

  /**
   * Adds the deprecation headers of all routes at the path. An answer that is sent before or without a route has them
   * too.
   */
  announce(exchange: Exchange): void {
    for (const route of this.routes.atPath(exchange.path)) this.deprecations.announce(exchange, route);
  }

  /** @throws {ApiError} method_not_allowed, route_not_found; bad_request for a path that cannot be decoded. */
  answer(request: Request, response: Response): void {
    const exchange = exchangeOf(request);
    requireDecodable(exchange.path);
    const here = isForAll(exchange) ? this.routes.all() : this.routes.atPath(exchange.path);
    if (here.length === 0) throw this.notFound(exchange.path);
    const allow = allowed(here);
    if (exchange.method === 'OPTIONS') {
      this.announce(exchange);
      return sendAnswer(exchange, response, new Answer(204, '', { Allow: allow }));
    }
    throw new ApiError(coreErrors.methodNotAllowed, `This path knows ${allow}.`, { headers: { Allow: allow } });
  }

  private notFound(path: string): ApiError {
    const near = this.routes.pathNear(path);
    return new ApiError(coreErrors.routeNotFound, near && `There is nothing at this path. Did you mean ${near}?`);
  }
}

/** `OPTIONS *` asks for the methods of the whole service (RFC 9110 §9.3.7). */
function isForAll({ method, path }: Exchange): boolean {
  return method === 'OPTIONS' && path === '*';
}

function allowed(routes: readonly Route[]): string {
  const methods = new Set(routes.map((route) => route.method));
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods.add('OPTIONS')].sort().join(', ');
}

/** Express decodes only the parameters of a route. A path without a route must be decodable too. */
function requireDecodable(path: string): void {
  try {
    decodeURIComponent(path);
  } catch (cause) {
    throw new ApiError(coreErrors.badRequest, 'The percent-encoding of the path cannot be decoded.', { cause });
  }
}
