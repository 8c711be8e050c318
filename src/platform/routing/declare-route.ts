import type { ErrorCode } from '../errors/index.js';
import type { RouteTraits } from './route.js';

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
