import type { Feature } from '../feature.js';
import type { Route } from '../routing/index.js';
import { isChecked, neverText } from '../validation/index.js';
import { clashes } from './claims.js';
import { fieldsOfAnswer } from './documented-classes.js';
import { anonymous, faultsOfReach } from './route-reach.js';

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

/** A query is text. What refuses every text is a parameter that nobody can give. */
function faultsOfQuery({ feature, operationId, queryType }: Route): string[] {
  return (queryType === undefined ? [] : neverText(queryType)).map(
    (name) =>
      `feature '${feature}': ${operationId} takes a query of ${queryType?.name}, whose '${name}' refuses every text; ` +
      'what converts it is @IntegerParameter, @Int64Parameter, @Type or @Transform',
  );
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

/** A handler with several paths is told of as such. */
function onePerHandler(routes: readonly Route[]): Route[] {
  return routes.filter(({ controller, handler }, index) => {
    return routes.findIndex((other) => other.controller === controller && other.handler === handler) === index;
  });
}

function ownerOf({ feature }: Route): string {
  return `feature '${feature}'`;
}
