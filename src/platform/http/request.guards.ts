import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CONFIG, type Config } from '../config/index.js';
import { ApiError, coreErrors, RETRY_SOON } from '../errors/index.js';
import { GUARDS_METADATA, INTERCEPTORS_METADATA } from '../nest-internals.js';
import { Deprecations, FORM_MEDIA, JSON_MEDIA, RouteTable, type Route } from '../routing/index.js';
import { refuseFields, refuseQuery, UnreadBody } from '../validation/index.js';
import { JSON_TYPE } from './answer.js';
import { Deadline } from './deadline.js';
import { exchangeOf } from './exchange.js';
import { RequestBody } from './request-body.js';

/** The error for every request until the features have started. */
export function starting(): ApiError {
  return new ApiError(coreErrors.serviceUnavailable, 'The service is starting. Try again shortly.', {
    headers: RETRY_SOON,
    cause: 'STARTING',
  });
}

/** The first guard. It sets the operation and the unread body on the exchange, for all later steps. */
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
    const request = http.getRequest<Request>();
    const route = this.routes.ofHandler(context.getClass(), context.getHandler());
    if (route === undefined) return true;
    const exchange = exchangeOf(request);
    if (exchange.isEarly) throw starting();
    exchange.route = route;
    this.deprecations.announce(exchange, route);
    if (!mayTakeBody(route)) {
      this.deadline.begin(exchange);
    } else {
      exchange.body = new RequestBody(request, http.getResponse<Response>(), {
        limitBytes: route.bodyLimitBytes ?? this.config.http.bodyLimitBytes,
        isRequired: route.bodyType !== undefined && route.bodyType !== Object,
        arrived: () => this.deadline.begin(exchange),
      });
    }
    return true;
  }
}

/**
 * Answers 406 if `Accept` excludes all media types of the operation (RFC 9110 §12.5.1), and 400 for a query parameter
 * that the handler does not declare. For a route with a body the query is checked after the body, because 415 and 413
 * come first.
 */
@Injectable()
export class NegotiationGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    const exchange = exchangeOf(request);
    const { route, body } = exchange;
    const { accept } = request.headers;
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

/**
 * The last guard of the platform. It sets the parsed body on the request, where the guards, interceptors and decorators
 * of a feature expect it, as with Nest's own body parser. A form is left to the feature's interceptor.
 */
@Injectable()
export class BodyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const { body, bodyFault, route } = exchangeOf(request);
    const mayBeRead = body !== undefined && route !== undefined;
    if (mayBeRead && route.bodyType === UnreadBody) request.body = body;
    else if (mayBeRead && isForm(route, body.mediaType)) body.leave();
    else if (mayBeRead && (isDeclared(route) || body.mediaType === JSON_MEDIA)) return readBody(request, route);
    // In the branches above, reading the body reports its fault.
    else if (bodyFault !== undefined) throw bodyFault;
    return true;
  }
}

async function readBody(request: Request, route: Route): Promise<true> {
  const { consumes, inputs, bodyType } = route;
  // For example a route that takes only files.
  if (!consumes.includes(JSON_MEDIA)) {
    throw new ApiError(coreErrors.unsupportedMediaType, `Send the body as ${consumes.join(' or ')}.`);
  }
  request.body = await exchangeOf(request).body?.read();
  if (isDeclared(route) && bodyType === undefined) {
    const fields = inputs.flatMap(({ kind, data }) => (kind === 'body' && typeof data === 'string' ? [data] : []));
    refuseFields(request.body, fields);
  }
  return true;
}

/** Whether a decorator of the handler, or a guard or interceptor of the feature, may read the body. */
function mayTakeBody(route: Route): boolean {
  return isDeclared(route) || (route.method !== 'GET' && route.method !== 'HEAD' && looksAtRequest(route));
}

function isDeclared({ inputs }: Route): boolean {
  return inputs.some(({ kind }) => kind === 'body' || kind === 'file');
}

function looksAtRequest(route: Route): boolean {
  const { inputs, handler, controller } = route;
  return (
    inputs.some(({ kind }) => kind === 'request' || kind === 'custom') ||
    Reflect.hasMetadata(GUARDS_METADATA, handler) ||
    Reflect.hasMetadata(GUARDS_METADATA, controller) ||
    hasInterceptor(route)
  );
}

/**
 * Whether the feature declares an interceptor for the handler. `@Idempotent` adds one of the platform, which does not
 * count.
 */
export function hasInterceptor({ handler, controller, idempotent }: Route): boolean {
  const around = [handler, controller].flatMap(
    (at) => (Reflect.getMetadata(INTERCEPTORS_METADATA, at) ?? []) as unknown[],
  );
  return around.length > (idempotent === true ? 1 : 0);
}

function isForm({ consumes }: Route, mediaType: string): boolean {
  return mediaType === FORM_MEDIA && consumes.includes(FORM_MEDIA);
}
