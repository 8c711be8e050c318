import { AssertionError } from 'node:assert';
import type { Feature } from '../platform/feature.js';
import type { Route } from '../platform/routing/index.js';
import { readOperations } from './documented-operation.js';
import { errorFaults } from './error-assertion.js';
import { routeRules, RouteTrial } from './route-rules.js';
import type { TestApplication } from './test-application.js';

const METHODS = ['PUT', 'DELETE', 'PATCH', 'POST', 'GET'];

/**
 * Holds a feature to the rules of the platform by calling each of its operations with the examples of the document:
 * closed without a key and without its scopes, none open to every key, documented, errors in the one shape, 405 for other
 * methods, no parameter or field accepted or answered that the document does not declare. It writes what the examples
 * write.
 *
 * @throws {AssertionError} naming everything that breaks a rule.
 */
export async function assertPlatformRules(application: TestApplication, feature: Feature): Promise<void> {
  const routes = application.routesOf(feature);
  const operations = await readOperations(application.anonymous);
  // What adds something comes first, so that lists have something to show.
  const inOrder = routes.toSorted((a, b) => Number(a.method !== 'POST') - Number(b.method !== 'POST'));
  const breaches = routes.length === 0 ? [`feature '${feature.name}' serves nothing here`] : [];
  for (const route of inOrder) {
    const operation = operations.get(route.operationId);
    if (operation === undefined) breaches.push(`${route.operationId} is not in the OpenAPI document`);
    else breaches.push(...(await trialBreaches(new RouteTrial(application, route, operation))));
  }
  for (const [path, atPath] of Map.groupBy(routes, (route) => route.path)) {
    breaches.push(...(await methodBreaches(application, path, atPath)));
  }
  if (breaches.length === 0) return;
  const message = `Feature '${feature.name}' breaks rules of the platform:\n${breaches.map((it) => `  - ${it}`).join('\n')}`;
  throw new AssertionError({ message, stackStartFn: assertPlatformRules });
}

async function trialBreaches(trial: RouteTrial): Promise<string[]> {
  for (const rule of routeRules) await rule(trial);
  return trial.breaches;
}

async function methodBreaches(
  { anonymous }: TestApplication,
  path: string,
  routes: readonly Route[],
): Promise<string[]> {
  const served = new Set(routes.map(({ method }) => method));
  const other = METHODS.find((method) => !served.has(method));
  if (other === undefined) return [];
  const answer = await anonymous.request(other, path.replace(/\{\w+\}/g, '1'));
  const faults = errorFaults(answer, 405, 'method_not_allowed');
  const allow = new Set(answer.headers.get('allow')?.split(', '));
  if ([...served].some((method) => !allow.has(method))) faults.push(`Allow is ${[...allow].join(', ')}`);
  return faults.map((fault) => `${other} ${path}: ${fault}`);
}
