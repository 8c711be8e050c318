import type { Feature } from '../feature.js';
import type { Route } from '../routing/index.js';
import { hasShape, isChecked, neverText } from '../validation/index.js';
import { clashes } from './claims.js';
import { fieldsOfAnswer } from './documented-classes.js';

/** The faults of the routes that the features' controllers serve, one sentence each. */
export function faultsOfRoutes(routes: readonly Route[], features: readonly Feature[]): string[] {
  const scopes = new Set(features.flatMap((feature) => Object.keys(feature.scopes ?? {})));
  const codes = new Set(features.flatMap(({ name, errors = [] }) => errors.map(({ code }) => `${name} ${code}`)));
  const faultsOf = (route: Route): string[] => [
    ...route.scopes
      .filter((scope) => !scopes.has(scope))
      .map((scope) => `needs scope '${scope}', which no feature declares; add it to its scopes`),
    ...route.raises
      .filter(({ code }) => !codes.has(`${route.feature} ${code}`))
      .map(({ code }) => `raises '${code}', which the feature does not declare; add it to its errors`),
    ...faultsOfInput(route),
    ...faultsOfLocation(route, routes),
  ];
  const operations = onePerHandler(routes);
  return [
    ...routes.flatMap((route) =>
      faultsOf(route).map((fault) => `feature '${route.feature}': ${route.operationId} ${fault}`),
    ),
    ...clashes(
      'route',
      routes.map((route) => [ownerOf(route), `${route.method} ${anonymous(route.path)}`]),
    ),
    ...clashes(
      'operationId',
      operations.map((route) => [ownerOf(route), route.operationId]),
    ),
    ...routes.flatMap((route, index) => routes.slice(index + 1).flatMap((other) => overlap(route, other))),
  ];
}

/**
 * Refuses inputs that nothing validates, because each such request would be answered with 500. Also refuses parameters
 * that no client can send.
 */
function faultsOfInput({ queryType, inputs }: Route): string[] {
  const faults = inputs.flatMap(({ kind = '', data, type, isPiped }) => {
    if (isPiped || type === undefined || !['body', 'query', 'param'].includes(kind)) return [];
    if (kind !== 'body' && typeof data === 'string' && hasShape(type)) {
      return [
        `takes the parameter '${data}' as a ${type.name}, which no text ` +
          'is; take the whole query or path by the class, or name a pipe that makes one',
      ];
    }
    if ((kind === 'param' && data !== undefined) || isChecked(type)) return [];
    return [
      `takes ${kind === 'param' ? 'path parameters' : `a ${kind}`} of ${type.name}, no property of which has a decorator; ` +
        'give its properties decorators of class-validator, such as @IsString()',
    ];
  });
  const unsendable = (queryType === undefined ? [] : neverText(queryType)).map(
    (name) =>
      `takes a query of ${queryType?.name}, whose '${name}' refuses every text; ` +
      'what converts it is @IntegerParameter, @Int64Parameter, @Type or @Transform',
  );
  return [...faults, ...unsendable];
}

/** If the operation is missing, the link in the document is broken and the 201 has no Location. */
function faultsOfLocation(route: Route, routes: readonly Route[]): string[] {
  const { located } = route;
  if (located === undefined) return [];
  const subject = `is located by '${located.operationId}'`;
  const target = routes.find((other) => other.operationId === located.operationId);
  if (target === undefined) return [`${subject}, which is no operation`];
  const fields = fieldsOfAnswer(route, route.successStatus);
  return Object.entries(located.parameters).flatMap(([name, field]) => [
    ...(target.path.includes(`{${name}}`) ? [] : [`${subject}, whose path has no parameter '${name}'`]),
    ...(fields?.includes(field) === false ? [`${subject} with '${field}', which its answer has not`] : []),
  ]);
}

/** A handler with several paths counts as one operation. */
function onePerHandler(routes: readonly Route[]): Route[] {
  return routes.filter(({ controller, handler }, index) => {
    return routes.findIndex((other) => other.controller === controller && other.handler === handler) === index;
  });
}

function ownerOf({ feature }: Route): string {
  return `feature '${feature}'`;
}

/**
 * Finds two features that match the same addresses: the route that Express knows first would take the other's requests.
 */
function overlap(route: Route, other: Route): string[] {
  const [left, right] = [route.path, other.path].map((path) => anonymous(path).split('/')) as [string[], string[]];
  const match = left.every((own, index) => own === right[index] || own === PARAMETER || right[index] === PARAMETER);
  const isOther = route.feature !== other.feature && route.method === other.method && left.join() !== right.join();
  if (!isOther || !match || left.length !== right.length) return [];
  return [`${nameOf(route)} and ${nameOf(other)} match the same addresses`];
}

const PARAMETER = '{}';

/** `/v1/pets/{petId}` → `/v1/pets/{}`: routes that differ only in the names of parameters are the same route. */
function anonymous(path: string): string {
  return path.replace(/\{\w+\}/g, PARAMETER);
}

function nameOf({ method, path, feature }: Route): string {
  return `'${method} ${path}' of feature '${feature}'`;
}
