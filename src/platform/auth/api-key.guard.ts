import { ForbiddenException, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { exchangeOf, type Exchange, type Principal } from '../http/index.js';
import { Limits } from '../limits/index.js';
import { RouteTable, type Route } from '../routing/index.js';
import { covers } from './access.decorators.js';
import { Authenticator, Refusal } from './authenticator.js';
import { KeyAudit, sourceOf } from './key-audit.js';

/**
 * Refuses requests without a valid key on every route that is not `@Public`, also on a route that no feature declares.
 * Runs after the guard that sets `exchange.route`.
 */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly audit: KeyAudit,
    private readonly limits: Limits,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    return this.enter(exchangeOf(request), request.rawHeaders);
  }

  /** @throws {ApiError} (rejects) if the request has no valid key, or the key lacks a scope of the route. */
  enter(exchange: Exchange, rawHeaders: readonly string[]): boolean | Promise<boolean> {
    if (exchange.route?.open === true) return true;
    const verdict = this.authenticator.authenticate(rawHeaders);
    if (verdict instanceof Promise) return verdict.then((later) => this.admit(later, exchange));
    return this.admit(verdict, exchange);
  }

  private admit(verdict: Principal | Refusal, exchange: Exchange): boolean | Promise<boolean> {
    if (verdict instanceof Refusal) return this.refuse(verdict, exchange);
    exchange.principal = verdict;
    const needed = exchange.route?.scopes;
    if (needed === undefined || covers(verdict.scopes, needed)) return true;
    return this.refuse(Refusal.lacking(needed, verdict.keyId), exchange);
  }

  private async refuse({ error, reason, keyId }: Refusal, exchange: Exchange): Promise<never> {
    const { clientAddress: address = '' } = exchange;
    this.audit.record({ event: 'auth.failed', reason, keyId, address });
    // A request without a key is not a guess: a client that forgot its key always gets 401, never 429.
    if (reason === 'missing') throw error;
    if (reason !== 'insufficient_scope') throw (await this.limits.countFailure(sourceOf(address))) ?? error;
    await this.limits.count(exchange);
    throw error;
  }
}

/**
 * Decides whether the middleware of a feature may answer a request. The client needs the scopes of the request's route.
 * Without such a route, any valid key is enough. A refused key is counted and audited only when the middleware answers.
 */
@Injectable()
export class MiddlewareAccess {
  constructor(
    private readonly routes: RouteTable,
    private readonly authenticator: Authenticator,
    private readonly guard: ApiKeyGuard,
    private readonly limits: Limits,
  ) {}

  /** A function that finds the error to answer instead; undefined if the middleware may answer. Never rejects. */
  async refusalOf(exchange: Exchange): Promise<(() => Promise<unknown>) | undefined> {
    const method = exchange.method === 'HEAD' ? 'GET' : exchange.method;
    const route = this.routes.atPath(exchange.path).find((here) => here.method === method);
    if (route?.open === true) return undefined;
    try {
      if (!(await this.isAccepted(exchange, route))) return () => this.refuse(exchange, route);
      await this.limits.admit(exchange);
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
