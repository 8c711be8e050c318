import type { Type } from '@nestjs/common';

/**
 * The parts of Nest and @nestjs/swagger that are not public API: metadata keys of decorators, and parts of the
 * injector. Other files import them from here (docs/upgrading.md).
 */
export {
  CUSTOM_ROUTE_ARGS_METADATA,
  EXCEPTION_FILTERS_METADATA,
  GLOBAL_MODULE_METADATA,
  GUARDS_METADATA,
  HEADERS_METADATA,
  HOST_METADATA,
  HTTP_CODE_METADATA,
  INTERCEPTORS_METADATA,
  METHOD_METADATA,
  PARAMTYPES_METADATA,
  PATH_METADATA,
  PIPES_METADATA,
  PROPERTY_DEPS_METADATA,
  REDIRECT_METADATA,
  RENDER_METADATA,
  RESPONSE_PASSTHROUGH_METADATA,
  ROUTE_ARGS_METADATA,
  SELF_DECLARED_DEPS_METADATA,
  SSE_METADATA,
  VERSION_METADATA,
} from '@nestjs/common/constants.js';
export { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
export { STATIC_CONTEXT } from '@nestjs/core/injector/constants.js';
export type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';

/** Metadata keys of @nestjs/swagger. */
export const SWAGGER = {
  /** On a handler. */
  operation: 'swagger/apiOperation',
  response: 'swagger/apiResponse',
  parameters: 'swagger/apiParameters',
  /** On a handler or a controller. */
  produces: 'swagger/apiProduces',
  consumes: 'swagger/apiConsumes',
  hidden: ['swagger/apiExcludeEndpoint', 'swagger/apiExcludeController'],
  /** On a class, on its prototype, and on one of its properties. */
  schema: 'swagger/apiSchema',
  properties: 'swagger/apiModelPropertiesArray',
  property: 'swagger/apiModelProperties',
  /** The static method that the CLI plugin adds to a class. */
  plugin: '_OPENAPI_METADATA_FACTORY',
} as const;

/** The documented properties of a class and its parent classes, each with its documentation. */
export function documentedProperties<T extends object>({ prototype }: Type): (readonly [name: string, said: T])[] {
  const names = (Reflect.getMetadata(SWAGGER.properties, prototype as object) ?? []) as string[];
  return names
    .map((name) => name.slice(1))
    .map((name) => [name, (Reflect.getMetadata(SWAGGER.property, prototype as object, name) ?? {}) as T] as const);
}

/**
 * The metadata keys of `@WebSocketGateway()` on a class, and of `@MessagePattern()` and `@EventPattern()` on a handler.
 */
export const GATEWAY_METADATA = 'websockets:is_gateway';
export const PATTERN_METADATA = 'microservices:pattern';
