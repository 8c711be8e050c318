import { AssertionError } from 'node:assert';
import type { Feature } from '../platform/feature.js';
import type { Route } from '../platform/routing/index.js';
import { readOperations, type DocumentedOperation, type Schema } from './documented-operation.js';
import type { TestApplication } from './test-application.js';
import { errorFaults, type Sent, type TestAnswer, type TestClient } from './test-client.js';

const METHODS = ['PUT', 'DELETE', 'PATCH', 'POST', 'GET'];

/**
 * Tests a feature against the rules of the platform. Calls each of its operations with the examples of the OpenAPI
 * document:
 *
 * - an operation refuses requests without a key and keys without its scopes, and names a scope or is public;
 * - it is documented, and every error has the documented shape;
 * - other methods on its path get 405;
 * - it refuses parameters and fields that the document does not declare, and returns no such field.
 *
 * The calls write to the database what the examples contain.
 *
 * @throws {AssertionError} with every breach of a rule.
 */
export async function assertPlatformRules(application: TestApplication, feature: Feature): Promise<void> {
  const routes = application.routesOf(feature);
  const operations = await readOperations(application.anonymous);
  // POST operations come first, so that lists have items.
  const inOrder = routes.toSorted((a, b) => Number(a.method !== 'POST') - Number(b.method !== 'POST'));
  const breaches: string[] = routes.length === 0 ? [`feature '${feature.name}' serves nothing here`] : [];
  for (const route of inOrder) {
    const operation = operations.get(route.operationId);
    if (operation === undefined) {
      breaches.push(`${route.operationId} is not in the OpenAPI document`);
      continue;
    }
    const trial = new RouteTrial(application, route, operation, breaches);
    for (const rule of routeRules) await rule(trial);
  }
  for (const [path, atPath] of Map.groupBy(routes, (route) => route.path)) {
    breaches.push(...(await methodBreaches(application, path, atPath)));
  }
  if (breaches.length === 0) return;
  const message = `Feature '${feature.name}' breaks rules of the platform:\n${breaches.map((it) => `  - ${it}`).join('\n')}`;
  throw new AssertionError({ message, stackStartFn: assertPlatformRules });
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

/** The test of one operation. It sends the document's example, changed as a rule needs, and collects the breaches. */
class RouteTrial {
  constructor(
    readonly application: TestApplication,
    readonly route: Route,
    readonly operation: DocumentedOperation,
    private readonly breaches: string[],
  ) {}

  /** The document's example of the body; undefined for an operation without one. */
  get body(): Record<string, unknown> | undefined {
    return this.route.bodyType === undefined ? undefined : this.operation.bodyExample;
  }

  breach(fault: string): void {
    this.breaches.push(`${this.route.operationId}: ${fault}`);
  }

  /** @param sent the query begins with `?`. */
  async send(client: TestClient, sent: Sent & { readonly query?: string } = {}): Promise<TestAnswer> {
    const { query = '', ...rest } = sent;
    const body = 'body' in sent ? sent.body : this.body;
    const path = this.route.path.replace(/\{(\w+)\}/g, (_, name: string) => this.operation.pathExample(name));
    const answer = await client.request(this.route.method, path + query, { ...rest, body });
    if (!this.operation.statuses.has(answer.status)) this.breach(`answers ${answer.status}, which is not documented`);
    return answer;
  }

  /** Sends the request, and records each difference between the response and the expected Error. */
  async refused(
    client: TestClient,
    [status, code]: readonly [status: number, code: string],
    when: string,
    sent?: Sent & { readonly query?: string },
  ): Promise<void> {
    const answer = await this.send(client, sent);
    const faults = this.route.method === 'HEAD' && answer.status === status ? [] : errorFaults(answer, status, code);
    for (const fault of faults) this.breach(`${when} is not ${status} ${code}: ${fault}`);
  }
}

/** A name that no feature uses. */
const UNHEARD_OF = 'unheard_of';

/** The rules for every operation of every feature. */
const routeRules: readonly ((trial: RouteTrial) => Promise<void> | void)[] = [
  documented,
  namesItsScopes,
  closedWithoutKey,
  closedWithoutScopes,
  refusesUndeclaredParameters,
  refusesStrangeBodies,
  refusesUndeclaredFields,
  answersWhatIsDeclared,
];

function documented(trial: RouteTrial): void {
  const { operation, route } = trial;
  if (!operation.isDescribed) trial.breach('its success is not described: @ApiOkResponse or @ApiCreatedResponse');
  if (route.bodyType !== undefined && operation.bodyExample === undefined) {
    trial.breach('its body has no example: give each field of the DTO one');
  }
}

/** A route without a scope that is not public would accept a key that was created for another feature. */
function namesItsScopes(trial: RouteTrial): void {
  const { open, scopes } = trial.route;
  if (open !== true && scopes.length === 0)
    trial.breach('is open to every key: name a scope by @RequireScope, or @Public');
}

async function closedWithoutKey(trial: RouteTrial): Promise<void> {
  if (trial.route.open === true) return;
  await trial.refused(trial.application.anonymous, [401, 'missing_api_key'], 'a request without a key');
  const headers = { Authorization: 'Bearer as_test_nobody00_x' };
  await trial.refused(trial.application.anonymous, [401, 'invalid_api_key'], 'a wrong key', { headers });
}

async function closedWithoutScopes(trial: RouteTrial): Promise<void> {
  for (const scope of trial.route.scopes) {
    const others = trial.route.scopes.filter((other) => other !== scope);
    const client = await trial.application.clientWith(...others, 'none:here');
    await trial.refused(client, [403, 'insufficient_scope'], `a key without ${scope}`);
  }
}

async function refusesUndeclaredParameters(trial: RouteTrial): Promise<void> {
  const query = `?${UNHEARD_OF}=1`;
  await trial.refused(trial.application.client, [400, 'unknown_parameter'], 'an undeclared parameter', { query });
}

async function refusesStrangeBodies(trial: RouteTrial): Promise<void> {
  if (trial.body === undefined) return;
  const { client } = trial.application;
  const headers = { 'Content-Type': 'text/plain' };
  await trial.refused(client, [400, 'body_required'], 'no body', { body: undefined });
  await trial.refused(client, [415, 'unsupported_media_type'], 'a text', { body: 'text', headers });
  await trial.refused(client, [400, 'invalid_json'], 'broken JSON', { body: '{' });
}

async function refusesUndeclaredFields(trial: RouteTrial): Promise<void> {
  if (trial.body === undefined) return;
  const body = { ...trial.body, [UNHEARD_OF]: 1 };
  await trial.refused(trial.application.client, [400, 'unknown_field'], 'an undeclared field', { body });
}

/** The feature may refuse the example for its own reasons, for example because an object does not exist. */
async function answersWhatIsDeclared(trial: RouteTrial): Promise<void> {
  const answer = await trial.send(trial.application.client);
  const { status } = answer;
  if (status === 500) return trial.breach('its example fails with 500');
  if (status >= 400) return errorFaults(answer, status).forEach((fault) => trial.breach(`an Error: ${fault}`));
  if (answer.text === '') return;
  const schema = trial.operation.schemaOf(status);
  if (schema === undefined) return trial.breach(`${status} has a body, but no documented schema`);
  for (const field of undeclaredFields(answer.json(), schema, trial.operation)) {
    trial.breach(`${status} answers ${field}, which is not documented`);
  }
}

/** The paths of a response's fields that its schema does not declare. */
function undeclaredFields(value: unknown, schema: Schema, operation: DocumentedOperation, at = ''): string[] {
  const { properties, items, additionalProperties } = operation.resolve(schema);
  if (Array.isArray(value)) {
    return items === undefined ? [] : value.flatMap((item) => undeclaredFields(item, items, operation, `${at}[]`));
  }
  if (typeof value !== 'object' || value === null || additionalProperties !== undefined) return [];
  return Object.entries(value).flatMap(([name, field]) => {
    const path = at === '' ? name : `${at}.${name}`;
    const declared = properties?.[name];
    return declared === undefined ? [path] : undeclaredFields(field, declared, operation, path);
  });
}
