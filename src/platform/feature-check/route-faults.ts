import type { Feature } from '../feature.js';
import type { Route } from '../routing/index.js';
import { hasShape, isChecked, neverText } from '../validation/index.js';
import { clashes } from './claims.js';
import { fieldsOfAnswer } from './documented-classes.js';

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
    ...routes.flatMap(faultsOfQuery),
    ...routes.flatMap((route) => faultsOfLocation(route, routes)),
    ...clashes(
      'route',
      routes.map((route) => [ownerOf(route), `${route.method} ${anonymous(route.path)}`]),
    ),
    ...clashes(
      'operationId',
      onePerHandler(routes).map((route) => [ownerOf(route), route.operationId]),
    ),
    ...faultsOfReach(routes),
  ];
}

/** What nobody checks is refused: each such request would be a fault of the service. */
function faultsOfInput({ feature, operationId, inputs }: Route): string[] {
  return inputs.flatMap(({ kind, data, type, isPiped }) => {
    const what = kind === 'param' ? 'path parameters' : kind;
    const isLooked = kind === 'body' || kind === 'query' || (kind === 'param' && data === undefined);
    if (!isLooked || isPiped || type === undefined || isChecked(type)) return [];
    return [
      `feature '${feature}': ${operationId} takes a ${what} of ${type.name}, no property of which has a decorator; ` +
        'give its properties decorators of class-validator, such as @IsString()',
    ];
  });
}

/** A query is text. What refuses every text, or is an object, is a parameter that nobody can give. */
function faultsOfQuery({ feature, operationId, queryType, inputs }: Route): string[] {
  const single = inputs.filter(({ kind, data }) => (kind === 'query' || kind === 'param') && typeof data === 'string');
  return [
    ...(queryType === undefined ? [] : neverText(queryType)).map(
      (name) =>
        `feature '${feature}': ${operationId} takes a query of ${queryType?.name}, whose '${name}' refuses every text; ` +
        'what converts it is @IntegerParameter, @Int64Parameter, @Type or @Transform',
    ),
    ...single.flatMap(({ data, type, isPiped }) =>
      isPiped || type === undefined || !hasShape(type)
        ? []
        : `feature '${feature}': ${operationId} takes the parameter '${data as string}' as a ${type.name}, which no text ` +
          'is; take the whole query or path by the class, or name a pipe that makes one',
    ),
  ];
}

/** A link of the document to no operation would be none, and the 201 would have no Location. */
function faultsOfLocation(route: Route, routes: readonly Route[]): string[] {
  const { feature, operationId, located } = route;
  if (located === undefined) return [];
  const subject = `feature '${feature}': ${operationId} is located by '${located.operationId}'`;
  const target = routes.find((other) => other.operationId === located.operationId);
  if (target === undefined) return [`${subject}, which is no operation`];
  const fields = fieldsOfAnswer(route, route.successStatus);
  return Object.entries(located.parameters).flatMap(([name, field]) => [
    ...(target.path.includes(`{${name}}`) ? [] : [`${subject}, whose path has no parameter '${name}'`]),
    ...(fields?.includes(field) === false ? [`${subject} with '${field}', which its answer has not`] : []),
  ]);
}

/** A handler with several paths is one operation. */
function onePerHandler(routes: readonly Route[]): Route[] {
  return routes.filter(({ controller, handler }, index) => {
    return routes.findIndex((other) => other.controller === controller && other.handler === handler) === index;
  });
}

function ownerOf({ feature }: Route): string {
  return `feature '${feature}'`;
}

/** What is wrong with how the paths of routes lie to each other, one sentence each. */
function faultsOfReach(routes: readonly Route[]): string[] {
  return routes.flatMap((route, index) =>
    routes
      .slice(index + 1)
      .filter((later) => later.method === route.method && anonymous(later.path) !== anonymous(route.path))
      .flatMap((later) => (later.feature === route.feature ? unreached(route, later) : overlap(route, later))),
  );
}

/** Two features at one address: whichever Express knows first would take the other's requests. */
function overlap(route: Route, other: Route): string[] {
  const both = matches(route, other, (left, right) => isParameter(left) || isParameter(right) || left === right);
  return both ? [`${nameOf(route)} and ${nameOf(other)} match the same addresses`] : [];
}

/** Two of one controller, the first of which takes every request of the other, as Express tries them in their order. */
function unreached(route: Route, later: Route): string[] {
  if (later.controller !== route.controller) return [];
  if (!matches(route, later, (left, right) => isParameter(left) || left === right)) return [];
  return [
    `${nameOf(later)} is never reached: ${route.operationId}, which is declared before ${later.operationId}, ` +
      `takes its requests as '${route.method} ${route.path}'`,
  ];
}

function matches(route: Route, other: Route, segment: (left: string, right: string) => boolean): boolean {
  const [left, right] = [route.path.split('/'), other.path.split('/')];
  return left.length === right.length && left.every((own, index) => segment(own, right[index] as string));
}

function isParameter(segment: string): boolean {
  return segment.startsWith('{');
}

/** `/v1/pets/{petId}` → `/v1/pets/{}`: what a parameter is called makes no other route of it. */
function anonymous(path: string): string {
  return path.replace(/\{\w+\}/g, '{}');
}

function nameOf({ method, path, feature }: Route): string {
  return `'${method} ${path}' of feature '${feature}'`;
}
