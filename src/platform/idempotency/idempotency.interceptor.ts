import {
  applyDecorators,
  Injectable,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { ApiError, coreErrors } from '../errors/index.js';
import { exchangeOf, Responder, type Answer, type Exchange } from '../http/index.js';
import { INTERCEPTORS_METADATA } from '../nest-internals.js';
import { declareRoute, type Route } from '../routing/index.js';
import { hasShape, validateBody, validateQuery } from '../validation/index.js';
import { Idempotency } from './idempotency.js';

/** Handles a request with `Idempotency-Key` once: the handler and the record of its answer are in one transaction. */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  /**
   * The exchanges that this interceptor handles already. If a controller has interceptors, this one is called twice:
   * for the controller and for the handler.
   */
  private readonly begun = new WeakSet<Exchange>();

  constructor(
    private readonly idempotency: Idempotency,
    private readonly responder: Responder,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<IncomingMessage>();
    const header = request.headers['idempotency-key'];
    const exchange = exchangeOf(request);
    const isOnce = header !== undefined && exchange.route?.idempotent === true && !this.begun.has(exchange);
    if (!isOnce) return next.handle();
    this.begun.add(exchange);
    return from(this.once(exchange, header, next));
  }

  private async once(exchange: Exchange, header: string | string[], next: CallHandler): Promise<Answer> {
    const { route, principal } = exchange;
    const fingerprint = fingerprintOf(await whatIsAsked(exchange));
    const id = recordId(principal?.client ?? '', route?.operationId ?? '', parseIdempotencyKey(header));
    return this.idempotency.once(id, fingerprint, async () => {
      const result: unknown = await lastValueFrom(next.handle(), { defaultValue: undefined });
      return this.responder.answer(exchange, result, route?.successStatus ?? 200);
    });
  }
}

/**
 * Lets clients repeat a POST safely with `Idempotency-Key`. A repeat within IDEMPOTENCY_RETENTION_MS gets the answer of
 * the first request, with `Idempotent-Replayed: true`.
 */
export const Idempotent = (): MethodDecorator =>
  applyDecorators(UseInterceptors(IdempotencyInterceptor), declareRoute({ idempotent: true }));

/**
 * Puts this interceptor before all interceptors of the feature, because they may change the answer, for example
 * `ClassSerializerInterceptor`. Interceptors of the controller run before those of the handler. Call this before Nest
 * reads the controllers.
 */
export function putIdempotencyOutermost(routes: readonly Route[]): void {
  for (const { controller, handler } of routes.filter(({ idempotent }) => idempotent)) {
    const [ofClass = [], ofHandler = []] = [controller, handler].map(
      (at) => Reflect.getMetadata(INTERCEPTORS_METADATA, at) as unknown[] | undefined,
    );
    const others = (list: readonly unknown[]): unknown[] => list.filter((each) => each !== IdempotencyInterceptor);
    const put = (list: readonly unknown[], at: object): void =>
      Reflect.defineMetadata(INTERCEPTORS_METADATA, [IdempotencyInterceptor, ...others(list)], at);
    if (others(ofClass).length > 0) put(ofClass, controller);
    // The handler keeps the interceptor too, because another controller without interceptors may inherit the handler.
    put(ofHandler, handler);
  }
}

/**
 * The parts that make two requests of one operation different: the values of the body, and the path and the query if
 * the route has variable ones. Both are validated here, before the key is checked (contract, "Order of checks"). Pipes
 * run later.
 */
async function whatIsAsked({ route, path, query, effectiveQuery, body }: Exchange): Promise<unknown> {
  const value = (await body?.read()) ?? null;
  const type = route?.bodyType;
  const values: unknown = type === undefined || !hasShape(type) ? value : validateBody(type, value);
  if (route?.queryType !== undefined && hasShape(route.queryType)) validateQuery(route.queryType, query);
  const isFixed = route === undefined || !(route.hasQuery || route.path.includes('{'));
  return isFixed ? values : [values, path, effectiveQuery];
}

const KEY = /^(?:"([\x21\x23-\x7e]{1,255})"|([\x21-\x7e]{1,255}))$/;

/**
 * Parses an `Idempotency-Key` header: 1 to 255 visible ASCII characters, bare or in double quotes.
 *
 * @throws {ApiError} invalid_idempotency_key.
 */
function parseIdempotencyKey(header: string | string[]): string {
  const [, quoted, bare] = KEY.exec(typeof header === 'string' ? header : '') ?? [];
  const key = quoted ?? bare;
  if (key === undefined || (quoted === undefined && key.startsWith('"'))) {
    throw new ApiError(coreErrors.invalidIdempotencyKey);
  }
  return key;
}

/** The id of a record: a key is valid for one client and one operation. */
function recordId(client: string, operationId: string, key: string): string {
  return hash('sha256', JSON.stringify([client, operationId, key]), 'base64url');
}

/** Hashes the values of a body. Spelling and the order of fields make no difference. */
function fingerprintOf(body: unknown): string {
  return hash('sha256', canonical(body), 'base64url');
}

function canonical(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(',')}}`;
}
