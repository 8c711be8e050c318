import type { Type } from '@nestjs/common';
import type { ErrorCode } from '../errors/index.js';
import type { HandlerArgument } from './handler-metadata.js';

/** When an operation was deprecated and when it goes, with what to use instead. */
export interface DeprecationTerms {
  /** The day, `YYYY-MM-DD` (UTC), from which the header `Deprecation` is sent. */
  readonly since: string;
  /** The day, `YYYY-MM-DD` (UTC), from which the operation answers 410. `<OPERATION_ID>_SUNSET` in the environment moves it. */
  readonly sunset: string;
  /** The operationId of the replacement. */
  readonly successor: string;
}

/** Where a 201 points: the operation that fetches what was made, and which field of the body fills each parameter. */
export interface Location {
  readonly operationId: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** What a handler declares of itself by decorators. All of it is optional: a route with none is closed and plain. */
export interface RouteTraits {
  /** True for a route that needs no key. */
  readonly open?: boolean;
  /** All of these are needed. */
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

/** Names of parameters, each with whether it may be given more than once. */
export type QueryNames = ReadonlyMap<string, boolean>;

/** One operation as it is served. */
export interface Route extends RouteTraits {
  readonly method: string;
  /** With the base path, as documents write it: `/v1/pets/{petId}`. */
  readonly path: string;
  /** The feature that it belongs to, for logs, metrics and documents. */
  readonly feature: string;
  readonly operationId: string;
  readonly scopes: readonly string[];
  readonly raises: readonly ErrorCode[];
  /** What the handler answers when it succeeds, e.g. 200. */
  readonly successStatus: number;
  readonly inputs: readonly HandlerArgument[];
  /** The class of the body that it takes whole, `Object` for an interface; undefined for an operation that takes none so. */
  readonly bodyType: Type | undefined;
  readonly hasQuery: boolean;
  readonly queryType: Type | undefined;
  /** The only parameters that its query may have; undefined where the class says so, or the handler sees all. */
  readonly queryNames: QueryNames | undefined;
  /** Media types of what it answers when it succeeds; empty where only the handler knows. */
  readonly produces: readonly string[];
  readonly consumes: readonly string[];
  readonly controller: Type;
  /** What the controller calls the handler, by which the compiler leaves the types of its arguments. */
  readonly handlerName: string;
  readonly handler: (...args: never[]) => unknown;
}

const TRAITS = Symbol('animal-store:route-traits');

/** Makes a method decorator that adds traits to a route. The decorators of all concerns use it. */
export function declareRoute(traits: RouteTraits): MethodDecorator {
  return (_target, _name, descriptor: PropertyDescriptor) => {
    const handler = descriptor.value as object;
    Reflect.defineMetadata(TRAITS, { ...traitsOf(handler), ...traits }, handler);
  };
}

export function traitsOf(handler: object): RouteTraits {
  return (Reflect.getMetadata(TRAITS, handler) as RouteTraits | undefined) ?? {};
}

/** Names the feature's own error codes that the handler can raise, so that the OpenAPI document declares them. */
export const Raises = (...raises: ErrorCode[]): MethodDecorator => declareRoute({ raises });

/**
 * Gives a 201 its `Location`, and the document its link: the path of `operationId`, each path parameter filled from the
 * named field of the response body. Once that operation is removed, the header is no longer sent.
 */
export const LocatedBy = (operationId: string, parameters: Readonly<Record<string, string>>): MethodDecorator =>
  declareRoute({ located: { operationId, parameters } });

/** Marks an operation that may still change. */
export const Stability = (stability: 'experimental' | 'beta'): MethodDecorator => declareRoute({ stability });

/** Bytes that a request body of this operation may have, instead of HTTP_BODY_LIMIT_BYTES. */
export const BodyLimit = (bodyLimitBytes: number): MethodDecorator => declareRoute({ bodyLimitBytes });

/** Milliseconds that the handler of this operation may take before it is answered with 503, instead of REQUEST_DEADLINE_MS. */
export const RequestDeadline = (deadlineMs: number): MethodDecorator => declareRoute({ deadlineMs });
