import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { exchangeOf, Responder, type Exchange, type RequestBody } from '../http/index.js';
import { validateBody } from '../validation/index.js';
import { Idempotency } from './idempotency.js';
import { fingerprintOf, parseIdempotencyKey, recordId } from './idempotency-key.js';

/** Gives an operation `Idempotency-Key`: put on by `@Idempotent()`, of no cost to a request without the header. */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly responder: Responder,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<IncomingMessage & { body: RequestBody }>();
    const header = request.headers['idempotency-key'];
    if (header === undefined) return next.handle();
    return from(this.once(exchangeOf(request), request.body, header, () => lastValueFrom(next.handle())));
  }

  private async once(
    exchange: Exchange,
    body: RequestBody,
    header: string | string[],
    handle: () => Promise<unknown>,
  ): Promise<unknown> {
    // 400s of the body come before 409 and 422 of the key (contract, "Order of checks").
    const { route, principal } = exchange;
    const value = await body.read();
    const fingerprint = fingerprintOf(route?.bodyType === undefined ? value : validateBody(route.bodyType, value));
    const id = recordId(principal?.client ?? '', route?.operationId ?? '', parseIdempotencyKey(header));
    return this.idempotency.once(id, fingerprint, async () => {
      return this.responder.answer(exchange, await handle(), route?.successStatus ?? 200);
    });
  }
}
