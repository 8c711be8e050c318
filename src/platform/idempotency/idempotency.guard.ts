import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { exchangeOf, Responder, type Exchange, type RequestBody } from '../http/index.js';
import { validateBody } from '../validation/index.js';
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
    const request = context.switchToHttp().getRequest<IncomingMessage & { body: RequestBody }>();
    const exchange = exchangeOf(request);
    const header = request.headers['idempotency-key'];
    if (exchange.route?.idempotent === true && header !== undefined) {
      exchange.once = (handle) => this.once(exchange, request.body, header, handle);
    }
    return true;
  }

  private async once(
    exchange: Exchange,
    body: RequestBody,
    header: string | string[],
    handle: () => unknown,
  ): Promise<unknown> {
    const { route, principal } = exchange;
    const value = await body.read();
    const fingerprint = fingerprintOf(route?.bodyType === undefined ? value : validateBody(route.bodyType, value));
    const id = recordId(principal?.client ?? '', route?.operationId ?? '', parseIdempotencyKey(header));
    return this.idempotency.once(id, fingerprint, async () => {
      return this.responder.answer(exchange, await handle(), route?.successStatus ?? 200);
    });
  }
}
