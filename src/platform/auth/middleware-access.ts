import { ForbiddenException, Injectable } from '@nestjs/common';
import type { Exchange } from '../http/index.js';
import { RouteTable, type Route } from '../routing/index.js';
import { covers } from './access.decorators.js';
import { ApiKeyGuard, ClientQuota } from './api-key.guard.js';
import { Authenticator } from './authenticator.js';
import { Refusal } from './refusal.js';

/**
 * Decides who may get an answer of a feature's middleware: whoever the guards would let to the route that the request is for,
 * or anybody with a key where it is for none. Leaves no trace of a key that is refused until there is such an answer.
 */
@Injectable()
export class MiddlewareAccess {
  constructor(
    private readonly routes: RouteTable,
    private readonly authenticator: Authenticator,
    private readonly guard: ApiKeyGuard,
    private readonly quota: ClientQuota,
  ) {}

  /** What finds the error that is answered instead; undefined where the middleware may answer. Never rejects. */
  async refusalOf(exchange: Exchange): Promise<(() => Promise<unknown>) | undefined> {
    const method = exchange.method === 'HEAD' ? 'GET' : exchange.method;
    const route = this.routes.atPath(exchange.path).find((here) => here.method === method);
    if (route?.open === true) return undefined;
    try {
      if (!(await this.isAccepted(exchange, route))) return () => this.refuse(exchange, route);
      await this.quota.admit(exchange);
      return undefined;
    } catch (error) {
      return () => Promise.resolve(error);
    }
  }

  private async isAccepted(exchange: Exchange, route: Route | undefined): Promise<boolean> {
    const verdict = await this.authenticator.authenticate(exchange.request.rawHeaders);
    if (verdict instanceof Refusal) return false;
    exchange.principal = verdict;
    return route === undefined || covers(verdict.scopes, route.scopes);
  }

  private async refuse(exchange: Exchange, route: Route | undefined): Promise<unknown> {
    exchange.route = route;
    await this.guard.enter(exchange, exchange.request.rawHeaders);
    return new ForbiddenException();
  }
}
