import type { Type } from '@nestjs/common';
import {
  HEADERS_METADATA,
  REDIRECT_METADATA,
  RESPONSE_PASSTHROUGH_METADATA,
  SSE_METADATA,
  SWAGGER,
} from '../nest-internals.js';
import type { HandlerArgument } from './handler-arguments.js';

export const JSON_MEDIA = 'application/json';
export const FORM_MEDIA = 'multipart/form-data';

/** The media types of what a handler answers; none where it writes to the response itself. */
export function producedBy(
  controller: Type,
  name: string,
  handler: object,
  inputs: readonly HandlerArgument[],
): string[] {
  if (Reflect.hasMetadata(SSE_METADATA, handler)) return ['text/event-stream'];
  const declared = swaggerTypes(SWAGGER.produces, controller, handler) ?? contentType(handler);
  if (declared !== undefined) return declared;
  const isPassedThrough = Reflect.getMetadata(RESPONSE_PASSTHROUGH_METADATA, controller, name) === true;
  const isOwn = inputs.some(({ kind }) => kind === 'response') && !isPassedThrough;
  return isOwn || Reflect.hasMetadata(REDIRECT_METADATA, handler) ? [] : [JSON_MEDIA];
}

/** The media types of the bodies that a handler takes: JSON, or a form where it takes files. */
export function consumedBy(controller: Type, handler: object, inputs: readonly HandlerArgument[]): string[] {
  const hasFile = inputs.some(({ kind }) => kind === 'file');
  return swaggerTypes(SWAGGER.consumes, controller, handler) ?? [hasFile ? FORM_MEDIA : JSON_MEDIA];
}

function swaggerTypes(key: string, controller: Type, handler: object): string[] | undefined {
  const types = [handler, controller].map((at) => Reflect.getMetadata(key, at) as string[] | undefined);
  return types.find((list) => list !== undefined && list.length > 0);
}

/** What `@Header('Content-Type', …)` says. */
function contentType(handler: object): string[] | undefined {
  const headers = (Reflect.getMetadata(HEADERS_METADATA, handler) ?? []) as { name: string; value: unknown }[];
  const found = headers.find(({ name }) => name.toLowerCase() === 'content-type')?.value;
  return typeof found === 'string' ? [found] : undefined;
}
