import type { OpenAPIObject } from '@nestjs/swagger';
import type { Route } from '../../routing/index.js';
import { closeSchema, completeSchema, nameList, exampleOf, schemasOf, type Schema } from './schemas.js';
import { errorResponse, failuresOf } from './error-responses.js';
import { bodyOfFields, withNamedParameters, type Parameter } from './named-inputs.js';
import { headersOf, requestHeadersOf } from './headers.js';

interface Media {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, unknown>;
}

interface Response {
  description?: string;
  headers?: object;
  content?: Record<string, Media>;
  links?: object;
}

/** The parts of an operation object that are read or written here, including x- fields. */
export interface Operation {
  [extension: `x-${string}`]: unknown;
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  deprecated?: boolean;
  security?: object[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, Media> };
  responses: Record<string, Response>;
}

/**
 * Completes the operation that @nestjs/swagger generated with everything that the route knows: who may call it, and
 * every response that it can send.
 *
 * @param sunset the moment from which the operation answers 410, in milliseconds since the Unix epoch.
 */
export function completeOperation(
  operation: Operation,
  route: Route,
  document: OpenAPIObject,
  sunset: number | undefined,
): Operation {
  const removalDay = sunset === undefined ? undefined : new Date(sunset).toISOString().slice(0, 10);
  const { summary, parameters = [], requestBody = bodyOfFields(route), tags = [] } = operation;
  const completed: Operation = {
    operationId: route.operationId,
    tags: tags.length > 0 ? tags : [route.feature],
    summary: summary || route.operationId,
    ...describe(operation.description, route, removalDay),
    ...(removalDay && { deprecated: true, 'x-deprecated-sunset': removalDay }),
    ...(route.stability && { 'x-stability': route.stability }),
    security: route.open ? [] : [{ bearerAuth: [] }],
    parameters: [...withNamedParameters(parameters, route).map(completeParameter), ...requestHeadersOf(route)],
    ...(requestBody && { requestBody: { ...requestBody, content: completeBody(requestBody.content, document) } }),
    responses: { ...failures(route, operation.responses), ...successes(operation.responses, route, document) },
  };
  // Other fields that the feature documents are kept, after the fields that every operation has.
  return { ...completed, ...operation, ...completed };
}

function describe(
  own: string | undefined,
  { scopes }: Route,
  removalDay: string | undefined,
): { description?: string } {
  const needed = scopes.map((scope) => `\`${scope}\``).join(', ');
  const removal = removalDay && `To be removed on ${removalDay}.`;
  const paragraphs = [own, removal, needed && `Needs the scope ${needed}.`].filter(Boolean);
  return paragraphs.length > 0 ? { description: paragraphs.join('\n\n') } : {};
}

/** Moves the example from the schema to the parameter, because Swagger UI fills the input field from there. */
function completeParameter(parameter: Parameter): Parameter {
  const { schema, ...rest } = parameter;
  if (schema === undefined) return parameter;
  completeSchema(schema);
  const { examples: [example] = [], ...plain } = schema;
  return { ...rest, schema: plain, ...(example !== undefined && { example }) };
}

function completeBody(content: Record<string, Media>, document: OpenAPIObject): Record<string, Media> {
  for (const { schema } of Object.values(content)) if (schema) closeSchema(schema, schemasOf(document));
  return completeContent(content, document);
}

function completeContent(content: Record<string, Media>, document: OpenAPIObject): Record<string, Media> {
  const completed = Object.entries(content).map(([type, { schema = {}, ...media }]) => {
    completeSchema(schema);
    const value = exampleOf(schema, schemasOf(document));
    const given = media.example !== undefined || media.examples !== undefined || value === undefined;
    return [type, { schema: nameList(schema, document), ...(given ? media : { example: value }) }] as const;
  });
  return Object.fromEntries(completed);
}

function successes(
  declared: Record<string, Response>,
  route: Route,
  document: OpenAPIObject,
): Record<string, Response> {
  const responses: Record<string, Response> = {};
  const own = Object.entries(declared).filter(([status]) => !isFailure(status));
  const all: Record<string, Response> = { [route.successStatus]: {}, ...Object.fromEntries(own) };
  for (const [status, { description, content, ...rest }] of Object.entries(all)) {
    responses[status] = {
      description: description || 'The operation succeeded.',
      headers: headersOf(route, Number(status)),
      ...(content && { content: completeContent(content, document) }),
      ...rest,
    };
  }
  const created = responses[route.successStatus];
  if (route.located && created) created.links = linkTo(route.located);
  if (route.method === 'GET') {
    responses[304] = { description: 'Unchanged since the `ETag` in `If-None-Match`.', headers: headersOf(route, 304) };
  }
  return responses;
}

/** The handler's own documentation of a failure takes precedence over the platform's. */
function failures(route: Route, declared: Record<string, Response>): Record<string, Response> {
  const known = failuresOf(route);
  const own = Object.keys(declared).filter(isFailure).map(Number);
  const statuses = [...new Set([...known.keys(), ...own])];
  const responses = statuses.map((status) => {
    const response = errorResponse(status, known.get(status) ?? []);
    const { description, content, ...rest } = declared[status] ?? {};
    const given = { ...(description && { description }), ...(content && { content }) };
    return [status, { ...response, headers: headersOf(route, status), ...rest, ...given }] as const;
  });
  return Object.fromEntries(responses);
}

function isFailure(status: string): boolean {
  return Number(status) >= 400;
}

function linkTo({ operationId, parameters }: NonNullable<Route['located']>): object {
  const expressions = Object.entries(parameters).map(([name, field]) => [name, `$response.body#/${field}`]);
  return { [operationId]: { operationId, parameters: Object.fromEntries(expressions) as object } };
}
