import type { ParamData, Type } from '@nestjs/common';
import {
  CUSTOM_ROUTE_ARGS_METADATA,
  HEADERS_METADATA,
  PARAMTYPES_METADATA,
  REDIRECT_METADATA,
  RESPONSE_PASSTHROUGH_METADATA,
  ROUTE_ARGS_METADATA,
  RouteParamtypes,
  SSE_METADATA,
  SWAGGER,
} from '../nest-internals.js';

export const JSON_MEDIA = 'application/json';
export const FORM_MEDIA = 'multipart/form-data';

export type ArgumentKind = 'body' | 'query' | 'param' | 'file' | 'request' | 'response' | 'custom';

/** One argument of a handler that a decorator fills, such as `@Body() pet: NewPetBody`. */
export interface HandlerArgument {
  readonly index: number;
  /**
   * `file` for uploaded files, `request` for the whole request, `custom` for a decorator of a feature; undefined for
   * others.
   */
  readonly kind: ArgumentKind | undefined;
  /** The argument of the decorator, such as the name of a field or of a parameter. */
  readonly data: ParamData | undefined;
  /** The declared class, from the metadata that the compiler emits. */
  readonly type: Type | undefined;
  /** Whether the decorator has its own pipes or schema. */
  readonly isPiped: boolean;
  readonly pipes: readonly unknown[];
}

/** An entry of ROUTE_ARGS_METADATA. */
interface Declared {
  readonly index: number;
  readonly data?: ParamData;
  readonly pipes?: readonly unknown[];
  readonly schema?: unknown;
}

const KINDS: Readonly<Record<string, ArgumentKind>> = {
  [RouteParamtypes.BODY]: 'body',
  [RouteParamtypes.QUERY]: 'query',
  [RouteParamtypes.PARAM]: 'param',
  [RouteParamtypes.FILE]: 'file',
  [RouteParamtypes.FILES]: 'file',
  [RouteParamtypes.REQUEST]: 'request',
  [RouteParamtypes.RESPONSE]: 'response',
  [RouteParamtypes.NEXT]: 'response',
};

/** The arguments of a handler that decorators fill, read from Nest's metadata. */
export function argumentsOf(controller: Type, name: string): HandlerArgument[] {
  const declared = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Record<string, Declared>;
  const types = (Reflect.getMetadata(PARAMTYPES_METADATA, controller.prototype as object, name) ?? []) as Type[];
  return Object.entries(declared).map(([key, { index, data, pipes = [], schema }]) => ({
    index,
    // Nest's key for its own decorators is `KIND:INDEX`, such as `3:0`.
    kind: key.includes(CUSTOM_ROUTE_ARGS_METADATA) ? 'custom' : KINDS[key.split(':')[0] ?? ''],
    data,
    type: types[index],
    isPiped: pipes.length > 0 || schema !== undefined,
    pipes,
  }));
}

/** The media types of a handler's successful response; empty if the handler writes to the response itself. */
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

/** The media types of the bodies that a handler accepts: JSON, or a form if it takes files. */
export function consumedBy(controller: Type, handler: object, inputs: readonly HandlerArgument[]): string[] {
  const hasFile = inputs.some(({ kind }) => kind === 'file');
  return swaggerTypes(SWAGGER.consumes, controller, handler) ?? [hasFile ? FORM_MEDIA : JSON_MEDIA];
}

function swaggerTypes(key: string, controller: Type, handler: object): string[] | undefined {
  const types = [handler, controller].map((at) => Reflect.getMetadata(key, at) as string[] | undefined);
  return types.find((list) => list !== undefined && list.length > 0);
}

/** The value of `@Header('Content-Type', …)`. */
function contentType(handler: object): string[] | undefined {
  const headers = (Reflect.getMetadata(HEADERS_METADATA, handler) ?? []) as { name: string; value: unknown }[];
  const found = headers.find(({ name }) => name.toLowerCase() === 'content-type')?.value;
  return typeof found === 'string' ? [found] : undefined;
}
