import type { Feature } from '../feature.js';
import type { Route } from '../routing/index.js';
import { isChecked } from '../validation/index.js';
import { clashes } from './claims.js';

/** What is wrong with the routes that the features' controllers serve, one sentence each. */
export function faultsOfRoutes(routes: readonly Route[], features: readonly Feature[]): string[] {
  const scopes = new Set(features.flatMap((feature) => Object.keys(feature.scopes ?? {})));
  const codes = new Set(features.flatMap(({ name, errors = [] }) => errors.map(({ code }) => `${name} ${code}`)));
  const undeclared = routes.flatMap(({ feature, operationId, ...route }) => [
    ...route.scopes
      .filter((scope) => !scopes.has(scope))
      .map(
        (scope) =>
          `feature '${feature}': ${operationId} needs scope '${scope}', which no feature declares; add it to its scopes`,
      ),
    ...route.raises
      .filter(({ code }) => !codes.has(`${feature} ${code}`))
      .map(
        ({ code }) =>
          `feature '${feature}': ${operationId} raises '${code}', which the feature does not declare; add it to its errors`,
      ),
  ]);
  return [
    ...undeclared,
    ...routes.flatMap(faultsOfInput),
    ...clashes(
      'route',
      routes.map((route) => [ownerOf(route), `${route.method} ${anonymous(route.path)}`]),
    ),
    ...clashes(
      'operationId',
      routes.map((route) => [ownerOf(route), route.operationId]),
    ),
    ...overlapsOf(routes),
  ];
}

/** What nobody checks is refused: each such request would be a fault of the service. */
function faultsOfInput({ feature, operationId, bodyType, queryType }: Route): string[] {
  const inputs = [['body', bodyType] as const, ['query', queryType] as const];
  return inputs.flatMap(([what, type]) =>
    type === undefined || isChecked(type)
      ? []
      : [`feature '${feature}': ${operationId} takes a ${what} of ${type.name}, no property of which has a decorator`],
  );
}

/** Two features at one address: whichever Express knows first would take the other's requests. */
function overlapsOf(routes: readonly Route[]): string[] {
  return routes.flatMap((route, index) =>
    routes
      .slice(index + 1)
      .filter((other) => other.feature !== route.feature && other.method === route.method && overlap(route, other))
      .map((other) => `${nameOf(route)} and ${nameOf(other)} match the same addresses`),
  );
}

function overlap(a: Route, b: Route): boolean {
  const [left, right] = [a.path.split('/'), b.path.split('/')];
  if (left.length !== right.length || anonymous(a.path) === anonymous(b.path)) return false;
  return left.every((segment, index) => isParameter(segment) || isParameter(right[index]) || segment === right[index]);
}

function isParameter(segment: string | undefined): boolean {
  return segment?.startsWith('{') === true;
}

/** `/v1/pets/{petId}` → `/v1/pets/{}`: what a parameter is called makes no other route of it. */
function anonymous(path: string): string {
  return path.replace(/\{\w+\}/g, '{}');
}

function ownerOf({ feature }: Route): string {
  return `feature '${feature}'`;
}

function nameOf(route: Route): string {
  return `'${route.method} ${route.path}' of ${ownerOf(route)}`;
}
