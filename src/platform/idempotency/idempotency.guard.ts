import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { exchangeOf, Responder, type Exchange } from '../http/index.js';
import { hasShape, validateBody } from '../validation/index.js';
import { Idempotency } from './idempotency.js';
import { fingerprintOf, parseIdempotencyKey, recordId } from './idempotency-key.js';

/**
 * Lets a request with `Idempotency-Key` have its handler run once: see `Idempotent`. The last guard, since what it
 * leaves on the exchange is done only after everything else has accepted the request, its body too.
 */
@Injectable()
export class IdempotencyGuard implements CanActivate {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly responder: Responder,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<IncomingMessage>();
    const exchange = exchangeOf(request);
    const header = request.headers['idempotency-key'];
    if (exchange.route?.idempotent === true && header !== undefined) {
      exchange.once = (handle) => this.once(exchange, header, handle);
    }
    return true;
  }

  private async once(exchange: Exchange, header: string | string[], handle: () => unknown): Promise<unknown> {
    const { route, principal } = exchange;
    const fingerprint = fingerprintOf(await whatIsAsked(exchange));
    const id = recordId(principal?.client ?? '', route?.operationId ?? '', parseIdempotencyKey(header));
    return this.idempotency.once(id, fingerprint, async () => {
      return this.responder.answer(exchange, await handle(), route?.successStatus ?? 200);
    });
  }
}

/** What tells two requests of one operation apart: the values of the body, and the target where it may differ. */
async function whatIsAsked({ route, path, effectiveQuery, body }: Exchange): Promise<unknown> {
  const value = (await body?.read()) ?? null;
  const type = route?.bodyType;
  const values: unknown = type === undefined || !hasShape(type) ? value : validateBody(type, value);
  const isFixed = route === undefined || !(route.hasQuery || route.path.includes('{'));
  return isFixed ? values : [values, path, effectiveQuery];
}
