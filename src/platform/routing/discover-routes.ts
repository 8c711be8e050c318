import { RequestMethod, type INestApplication, type Type } from '@nestjs/common';
import { HTTP_CODE_METADATA, METHOD_METADATA, PATH_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import type { Module } from '@nestjs/core/injector/module.js';
import { traitsOf } from './declare-route.js';
import type { Route } from './route.js';

/** Nest's numbers of parameter kinds in ROUTE_ARGS_METADATA (RouteParamtypes). */
const BODY = 3;
const QUERY = 4;

export interface Discovery {
  readonly routes: Route[];
  /** What is wrong with how a route is declared, one sentence each. */
  readonly violations: string[];
}

/**
 * Reads every route of every controller from Nest's own metadata, before anything is served.
 *
 * @param basePath what every path begins with, e.g. `/v1`.
 * @param features the root module of each feature by its name; a controller belongs to the feature that imports it.
 */
export function discoverRoutes(
  application: INestApplication,
  basePath: string,
  features: ReadonlyMap<string, unknown>,
): Discovery {
  const discovery: Discovery = { routes: [], violations: [] };
  const owners = ownersOf(application.get(ModulesContainer), features);
  for (const [module, feature] of owners) {
    for (const wrapper of module.controllers.values()) {
      readController(wrapper.metatype as Type, basePath, feature, discovery);
    }
  }
  return discovery;
}

function ownersOf(modules: ModulesContainer, features: ReadonlyMap<string, unknown>): Map<Module, string> {
  const owners = new Map<Module, string>();
  const claim = (module: Module, feature: string): void => {
    if (owners.has(module) || module.isGlobal) return;
    owners.set(module, feature);
    for (const imported of module.imports) claim(imported, feature);
  };
  for (const [feature, root] of features) {
    for (const module of modules.values()) if (module.metatype === root) claim(module, feature);
  }
  return owners;
}

function readController(controller: Type, basePath: string, feature: string, { routes, violations }: Discovery): void {
  const prototype = controller.prototype as Record<string, (...args: never[]) => unknown>;
  for (const name of new MetadataScanner().getAllMethodNames(prototype)) {
    const handler = prototype[name];
    const method = handler && (Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined);
    if (handler === undefined || method === undefined) continue;
    const parameters = parametersOf(controller, name);
    for (const parameter of parameters.named) {
      violations.push(
        `feature '${feature}': ${controller.name}.${name} takes ${parameter} by name; declare a DTO class and take it whole`,
      );
    }
    for (const path of pathsOf(controller, handler)) {
      const traits = traitsOf(handler);
      routes.push({
        ...traits,
        method: RequestMethod[method],
        path: `${basePath}${path}`,
        feature,
        operationId: name,
        scopes: traits.scopes ?? [],
        raises: traits.raises ?? [],
        successStatus: successStatus(handler, method),
        bodyType: parameters.bodyType,
        hasQuery: parameters.kinds.has(QUERY),
        controller,
        handler,
      });
    }
  }
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

interface Parameters {
  readonly kinds: Set<number>;
  readonly named: string[];
  bodyType: Type | undefined;
}

function parametersOf(controller: Type, name: string): Parameters {
  const metadata = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Record<string, Argument>;
  const types = (Reflect.getMetadata('design:paramtypes', controller.prototype as object, name) ?? []) as Type[];
  const parameters: Parameters = { kinds: new Set(), named: [], bodyType: undefined };
  for (const [key, { data, index }] of Object.entries(metadata)) {
    const kind = Number.parseInt(key, 10);
    parameters.kinds.add(kind);
    if (kind === BODY) parameters.bodyType = types[index];
    if (typeof data !== 'string') continue;
    if (kind === QUERY) parameters.named.push(`query parameter '${data}'`);
    if (kind === BODY) parameters.named.push(`body field '${data}'`);
  }
  return parameters;
}

interface Argument {
  readonly index: number;
  readonly data?: unknown;
}
