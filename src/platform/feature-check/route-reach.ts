import type { Route } from '../routing/index.js';

/** What is wrong with how the paths of routes lie to each other, one sentence each. */
export function faultsOfReach(routes: readonly Route[]): string[] {
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
export function anonymous(path: string): string {
  return path.replace(/\{\w+\}/g, '{}');
}

function nameOf({ method, path, feature }: Route): string {
  return `'${method} ${path}' of feature '${feature}'`;
}
