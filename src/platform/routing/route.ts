import type { Type } from '@nestjs/common';
import type { ErrorCode } from '../errors/index.js';
import type { HandlerArgument } from './handler-metadata.js';

/** The dates of a deprecation, and the replacement. */
export interface DeprecationTerms {
  /** The day, `YYYY-MM-DD` (UTC), from which the header `Deprecation` is sent. */
  readonly since: string;
  /**
   * The day, `YYYY-MM-DD` (UTC), from which the operation answers 410. The variable `<OPERATION_ID>_SUNSET` overrides
   * it.
   */
  readonly sunset: string;
  /** The operationId of the replacement. */
  readonly successor: string;
}

/**
 * The target of a 201's Location: the operation that fetches the created object, and the response field for each path
 * parameter.
 */
export interface Location {
  readonly operationId: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * The declarations of a handler's decorators. All of them are optional. Without any, a route needs a key and nothing
 * more.
 */
export interface RouteTraits {
  /** True for a route that needs no key. */
  readonly open?: boolean;
  /** The client needs all of these scopes. */
  readonly scopes?: readonly string[];
  readonly paginated?: boolean;
  readonly idempotent?: boolean;
  readonly deprecated?: DeprecationTerms;
  readonly stability?: 'experimental' | 'beta';
  readonly raises?: readonly ErrorCode[];
  readonly located?: Location;
  readonly bodyLimitBytes?: number;
  readonly deadlineMs?: number;
}

/** Names of query parameters, each with whether it may be repeated. */
export type QueryNames = ReadonlyMap<string, boolean>;

/** One operation of the service. */
export interface Route extends RouteTraits {
  readonly method: string;
  /** The path with the base path, as in the OpenAPI document: `/v1/pets/{petId}`. */
  readonly path: string;
  /** The name of the feature that it belongs to, for logs, metrics and documents. */
  readonly feature: string;
  readonly operationId: string;
  readonly scopes: readonly string[];
  readonly raises: readonly ErrorCode[];
  /** The status of a successful response, e.g. 200. */
  readonly successStatus: number;
  readonly inputs: readonly HandlerArgument[];
  /** The class of the whole body, `Object` for an interface; undefined if the handler does not take the whole body. */
  readonly bodyType: Type | undefined;
  readonly hasQuery: boolean;
  readonly queryType: Type | undefined;
  /**
   * The only parameters that the query may have; undefined if a class declares them, or if the handler can read all of
   * them.
   */
  readonly queryNames: QueryNames | undefined;
  /** The media types of a successful response; empty if only the handler knows them. */
  readonly produces: readonly string[];
  readonly consumes: readonly string[];
  readonly controller: Type;
  /** The name of the handler's method. The compiler emits the types of its arguments under this name. */
  readonly handlerName: string;
  readonly handler: (...args: never[]) => unknown;
}

const TRAITS = Symbol('animal-store:route-traits');

/** Creates a method decorator that adds traits to a route. */
export function declareRoute(traits: RouteTraits): MethodDecorator {
  return (_target, _name, descriptor: PropertyDescriptor) => {
    const handler = descriptor.value as object;
    Reflect.defineMetadata(TRAITS, { ...traitsOf(handler), ...traits }, handler);
  };
}

export function traitsOf(handler: object): RouteTraits {
  return (Reflect.getMetadata(TRAITS, handler) as RouteTraits | undefined) ?? {};
}

/** Declares which of the feature's own error codes the handler can raise. The OpenAPI document lists them. */
export const Raises = (...raises: ErrorCode[]): MethodDecorator => declareRoute({ raises });

/**
 * Adds `Location` to a 201, and a link in the OpenAPI document. The address is the path of `operationId`, whose path
 * parameters are filled from the named fields of the response body. After that operation is removed, the header is no
 * longer sent.
 */
export const LocatedBy = (operationId: string, parameters: Readonly<Record<string, string>>): MethodDecorator =>
  declareRoute({ located: { operationId, parameters } });

/** Marks an operation as not stable yet. */
export const Stability = (stability: 'experimental' | 'beta'): MethodDecorator => declareRoute({ stability });

/** The greatest size of this operation's request body in bytes, instead of HTTP_BODY_LIMIT_BYTES. */
export const BodyLimit = (bodyLimitBytes: number): MethodDecorator => declareRoute({ bodyLimitBytes });

/** The milliseconds after which this operation is answered with 503, instead of REQUEST_DEADLINE_MS. */
export const RequestDeadline = (deadlineMs: number): MethodDecorator => declareRoute({ deadlineMs });
