import type { ParamData, Type } from '@nestjs/common';
import {
  CUSTOM_ROUTE_ARGS_METADATA,
  PARAMTYPES_METADATA,
  ROUTE_ARGS_METADATA,
  RouteParamtypes,
} from '../nest-internals.js';

export type ArgumentKind = 'body' | 'query' | 'param' | 'file' | 'request' | 'response' | 'custom';

/** One argument of a handler that a decorator gives it, such as `@Body() pet: NewPetBody`. */
export interface HandlerArgument {
  readonly index: number;
  /** `file` for uploaded ones, `request` for the whole request, `custom` for a decorator of a feature's own; undefined for others. */
  readonly kind: ArgumentKind | undefined;
  /** What the decorator was given: the name of a field, of a parameter. */
  readonly data: ParamData | undefined;
  /** The class that it is declared by, as the compiler left it. */
  readonly type: Type | undefined;
  /** Whether the decorator names pipes or a schema of its own. */
  readonly isPiped: boolean;
  /** The pipes that it names. */
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

/** The arguments that a handler's decorators give it, from Nest's own metadata. */
export function argumentsOf(controller: Type, name: string): HandlerArgument[] {
  const declared = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Record<string, Declared>;
  const types = (Reflect.getMetadata(PARAMTYPES_METADATA, controller.prototype as object, name) ?? []) as Type[];
  return Object.entries(declared).map(([key, { index, data, pipes = [], schema }]) => ({
    index,
    // `3:0`
    kind: key.includes(CUSTOM_ROUTE_ARGS_METADATA) ? 'custom' : KINDS[key.split(':')[0] ?? ''],
    data,
    type: types[index],
    isPiped: pipes.length > 0 || schema !== undefined,
    pipes,
  }));
}
