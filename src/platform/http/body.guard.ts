import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { GUARDS_METADATA, INTERCEPTORS_METADATA } from '../nest-internals.js';
import type { IncomingMessage } from 'node:http';
import { ApiError, coreErrors } from '../errors/index.js';
import { FORM_MEDIA, JSON_MEDIA, type Route } from '../routing/index.js';
import { refuseFields, UnreadBody } from '../validation/index.js';
import { exchangeOf } from './exchange.js';

/**
 * The last guard of the platform: puts the parsed body onto the request, where the guards, interceptors and decorators of a
 * feature look for it, as Nest's own body parser does. A form is left to the interceptor that takes it.
 */
@Injectable()
export class BodyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<IncomingMessage & { body?: unknown }>();
    const { body, bodyFault, route } = exchangeOf(request);
    const mayBeRead = body !== undefined && route !== undefined;
    if (mayBeRead && route.bodyType === UnreadBody) request.body = body;
    else if (mayBeRead && isForm(route, body.mediaType)) body.leave();
    else if (mayBeRead && (isDeclared(route) || body.mediaType === JSON_MEDIA)) return this.read(request, route);
    // Whoever reads a body finds out what is wrong in it.
    else if (bodyFault !== undefined) throw bodyFault;
    return true;
  }

  private async read(request: IncomingMessage & { body?: unknown }, route: Route): Promise<true> {
    const exchange = exchangeOf(request);
    // What takes files only has no other field.
    if (!route.consumes.includes(JSON_MEDIA)) throw unsupported(route);
    request.body = await exchange.body?.read();
    if (isDeclared(route) && route.bodyType === undefined) refuseFields(request.body, fieldsOf(route));
    return true;
  }
}

/** Whether something of this route may look at a body: a decorator of its handler, or a guard or interceptor of its own. */
export function mayTakeBody(route: Route): boolean {
  return isDeclared(route) || (route.method !== 'GET' && route.method !== 'HEAD' && looksAtRequest(route));
}

function isDeclared({ inputs }: Route): boolean {
  return inputs.some(({ kind }) => kind === 'body' || kind === 'file');
}

function looksAtRequest(route: Route): boolean {
  const { inputs, handler, controller } = route;
  if (inputs.some(({ kind }) => kind === 'request' || kind === 'custom')) return true;
  return (
    Reflect.hasMetadata(GUARDS_METADATA, handler) ||
    Reflect.hasMetadata(GUARDS_METADATA, controller) ||
    hasInterceptor(route)
  );
}

/** Whether a feature's own interceptor is around the handler. That of `@Idempotent` is the platform's. */
export function hasInterceptor({ handler, controller, idempotent }: Route): boolean {
  const around = [handler, controller].flatMap(
    (at) => (Reflect.getMetadata(INTERCEPTORS_METADATA, at) ?? []) as unknown[],
  );
  return around.length > (idempotent === true ? 1 : 0);
}

function isForm({ consumes }: Route, mediaType: string): boolean {
  return mediaType === FORM_MEDIA && consumes.includes(FORM_MEDIA);
}

function fieldsOf({ inputs }: Route): string[] {
  return inputs.flatMap(({ kind, data }) => (kind === 'body' && typeof data === 'string' ? [data] : []));
}

function unsupported({ consumes }: Route): ApiError {
  return new ApiError(coreErrors.unsupportedMediaType, `Send the body as ${consumes.join(' or ')}.`);
}
