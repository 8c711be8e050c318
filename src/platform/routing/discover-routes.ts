import { RequestMethod, type Type } from '@nestjs/common';
import { HTTP_CODE_METADATA, METHOD_METADATA, PATH_METADATA, VERSION_METADATA, SWAGGER } from '../nest-internals.js';
import { MetadataScanner } from '@nestjs/core';
import { argumentsOf, consumedBy, producedBy, type ArgumentKind, type HandlerArgument } from './handler-metadata.js';
import { OperationIds } from './operation-id.js';
import { traitsOf, type QueryNames, type Route, type RouteTraits } from './route.js';

/** The methods that an OpenAPI document can describe. `@All()` is not one of them. */
const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The name and the controllers of a feature. */
export interface Controllers {
  readonly name: string;
  readonly modules: readonly { readonly controllers: readonly Type[] }[];
}

/**
 * Reads every route of every controller from Nest's metadata, before the service accepts requests.
 *
 * @param basePath the prefix of every path, e.g. `/v1`.
 * @returns the routes, and one sentence for each fault in their declarations.
 */
export function discoverRoutes(
  features: readonly Controllers[],
  basePath: string,
): { routes: Route[]; violations: string[] } {
  const reading: Reading = { routes: [], violations: [], ids: new OperationIds() };
  for (const { name, modules } of features) {
    for (const controller of modules.flatMap(({ controllers }) => controllers)) {
      readController(controller, basePath, name, reading);
    }
  }
  const { violations, routes, ids } = reading;
  return { violations, routes: routes.map((route) => ({ ...route, ...referencesOf(route, ids) })) };
}

/** The route's references to other operations, with the final operationIds. */
function referencesOf(route: Route, ids: OperationIds): RouteTraits {
  const { located, deprecated } = route;
  return {
    ...(located && { located: { ...located, operationId: ids.meantBy(located.operationId, route) } }),
    ...(deprecated && { deprecated: { ...deprecated, successor: ids.meantBy(deprecated.successor, route) } }),
  };
}

interface Reading {
  readonly routes: Route[];
  readonly violations: string[];
  readonly ids: OperationIds;
}

function readController(controller: Type, basePath: string, feature: string, reading: Reading): void {
  const { routes, violations, ids } = reading;
  const prototype = controller.prototype as Record<string, (...args: never[]) => unknown>;
  for (const name of new MetadataScanner().getAllMethodNames(prototype)) {
    const handler = prototype[name];
    const method = handler && (Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined);
    if (handler === undefined || method === undefined) continue;
    const inputs = argumentsOf(controller, name);
    const paths = pathsOf(controller, handler);
    const faults = [
      ...faultsOf(controller, handler, method),
      ...faultsOfName(name),
      ...faultsOfPaths(paths),
      ...inputs.flatMap((input) => notInPath(input, paths)),
    ];
    violations.push(...faults.map((fault) => `feature '${feature}': ${controller.name}.${name} ${fault}`));
    for (const path of paths) {
      const traits = traitsOf(handler);
      routes.push({
        ...traits,
        method: RequestMethod[method],
        path: `${basePath}${path}`,
        feature,
        operationId: ids.of({ controller, handler, handlerName: name, feature, path }),
        handlerName: name,
        scopes: traits.scopes ?? [],
        raises: traits.raises ?? [],
        successStatus: successStatus(handler, method),
        ...takenBy(inputs),
        produces: producedBy(controller, name, handler, inputs),
        consumes: consumedBy(controller, handler, inputs),
        controller,
        handler,
      });
    }
  }
}

/** The inputs of a handler, and what they say about its body and query. */
function takenBy(inputs: readonly HandlerArgument[]) {
  return {
    inputs,
    bodyType: typeOfWhole(inputs, 'body'),
    hasQuery: inputs.some(({ kind }) => kind === 'query'),
    queryType: typeOfWhole(inputs, 'query'),
    queryNames: namesOfQuery(inputs),
  };
}

function faultsOf(controller: Type, handler: object, method: RequestMethod): string[] {
  const name = RequestMethod[method];
  const faults: string[] = [];
  if (!METHODS.includes(name))
    faults.push(`is a route for the method ${name}; declare one for each of ${METHODS.join(', ')}`);
  const hidden = SWAGGER.hidden.some(
    (key) => Reflect.hasMetadata(key, handler) || Reflect.hasMetadata(key, controller),
  );
  if (hidden) faults.push('is left out of the OpenAPI document, which holds every route');
  const versions = [handler, controller].map((each) => Reflect.getMetadata(VERSION_METADATA, each) as unknown);
  if (versions.some((version) => version !== undefined))
    faults.push('names a version, which nothing looks at; write it into the path');
  return faults;
}

/**
 * Only segments that Express and OpenAPI paths read alike: other syntax differs between them, or exists in one of them
 * only.
 */
const SEGMENT = /^(?:\{\w+\}|[^{}()[\]:*?+!"\\]+)$/;

/**
 * The document uses the name in the names of components, which allow few characters (OpenAPI 3.1, Components Object),
 * and generated clients use it as a method name.
 */
function faultsOfName(name: string): string[] {
  return /^\w+$/.test(name) ? [] : ['is an operation whose name has more than letters of ASCII, digits and _'];
}

function faultsOfPaths(paths: readonly string[]): string[] {
  const several = `is at ${paths.join(' and ')}, and an operation has one path; declare a handler for each`;
  return [...(paths.length > 1 ? [several] : []), ...paths.flatMap(faultsOfPath)];
}

function faultsOfPath(path: string): string[] {
  const segments = path.split('/').slice(1);
  if (segments.length > 0 && segments.every((segment) => SEGMENT.test(segment))) return [];
  return [`is at '${path}', which no document can have: between slashes a path has words, or one :name`];
}

/** Nest would pass undefined, for example for `@Param('petId')` at `:id`. */
function notInPath({ kind, data }: HandlerArgument, paths: readonly string[]): string[] {
  if (kind !== 'param' || typeof data !== 'string' || paths.some((path) => path.includes(`{${data}}`))) return [];
  return [`takes path parameter '${data}', which its path has not`];
}

/** The class of the body, or of the query, if the handler takes it as a whole. */
function typeOfWhole(inputs: readonly HandlerArgument[], kind: ArgumentKind): Type | undefined {
  const whole = inputs.findLast((input) => input.kind === kind && typeof input.data !== 'string');
  return whole && (whole.type ?? Object);
}

/** Undefined if the handler can also read other parameters. */
function namesOfQuery(inputs: readonly HandlerArgument[]): QueryNames | undefined {
  const own = inputs.filter(({ kind }) => kind === 'query');
  const isOpen = own.some(({ data }) => typeof data !== 'string');
  if (isOpen || inputs.some(({ kind }) => kind === 'request' || kind === 'custom')) return undefined;
  return new Map(own.map(({ data, type }) => [data as string, type === Array || type === Object]));
}

function successStatus(handler: object, method: RequestMethod): number {
  const declared = Reflect.getMetadata(HTTP_CODE_METADATA, handler) as number | undefined;
  return declared ?? (method === RequestMethod.POST ? 201 : 200);
}

function pathsOf(controller: Type, handler: object): string[] {
  const outer = [Reflect.getMetadata(PATH_METADATA, controller) as string | string[]].flat();
  const inner = [Reflect.getMetadata(PATH_METADATA, handler) as string | string[]].flat();
  return outer.flatMap((prefix) => inner.map((path) => templateOf(`${prefix}/${path}`)));
}

/** `pets/:petId` → `/pets/{petId}` */
function templateOf(path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '');
  return segments.map((segment) => `/${segment.replace(/^:(\w+)$/, '{$1}')}`).join('');
}
