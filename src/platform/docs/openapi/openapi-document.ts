import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { Feature } from '../../feature.js';
import { stringifyJson } from '../../json/index.js';
import type { Route } from '../../routing/index.js';
import type { DocumentServer, Product } from '../product.js';
import { completeOperation, type Operation } from './complete-operation.js';
import { completeSchema, schemasOf } from './complete-schemas.js';
import { errorExamples, errorSchema, failuresOf } from './error-responses.js';
import { guide } from './document-texts.js';
import { classesOfFields } from './named-inputs.js';
import { operationHeaders, type HeaderSource, requestHeaders } from './operation-headers.js';
import { responseHeaders } from './response-headers.js';

/** What a document is made of. */
export interface DocumentSource extends HeaderSource {
  readonly application: INestApplication;
  readonly product: Product;
  readonly features: readonly Feature[];
  readonly servers: readonly DocumentServer[];
  /** The moment from which a deprecated route answers 410, in milliseconds since the epoch, wherever it was moved to. */
  readonly sunsetOf: (route: Route) => number | undefined;
}

type TagObject = NonNullable<OpenAPIObject['tags']>[number];
type Components = Record<string, Record<string, unknown> | undefined>;

const outline = new DocumentBuilder()
  .setOpenAPIVersion('3.1.0')
  // `addBearerAuth` would add that the token is a JWT.
  .addSecurity('bearerAuth', { type: 'http', scheme: 'bearer', description: 'An API key, `as_…`.' })
  .build();

/**
 * The OpenAPI 3.1 document of every operation: what @nestjs/swagger reads from the controllers, completed from the table
 * of routes, so that nothing is answered that is not declared. int64 bounds and examples are bigints.
 *
 * @throws {Error} when Nest does not know one of the routes.
 */
export function buildOpenApiDocument(source: DocumentSource): OpenAPIObject {
  const { application, product, routes } = source;
  const scanned = SwaggerModule.createDocument(application, outline, {
    ignoreGlobalPrefix: true,
    autoTagControllers: false,
    extraModels: classesOfFields(routes),
  });
  for (const schema of Object.values(schemasOf(scanned))) completeSchema(schema);
  const document: OpenAPIObject = {
    openapi: scanned.openapi,
    info: {
      title: product.name,
      version: product.version,
      description: guide,
      ...contactOf(product),
      license: product.licence,
    },
    externalDocs: {
      description: 'Every operation, error code, limit and header, in words',
      url: `${source.urls.docs}/api.md`,
    },
    servers: [...source.servers],
    tags: [],
    paths: {},
    ...(scanned.components && { components: scanned.components }),
  };
  for (const route of routes) {
    const path = pathInDocument(route);
    const method = route.method.toLowerCase() as 'get';
    const operation = scanned.paths[path]?.[method];
    if (operation === undefined) throw new Error(`@nestjs/swagger does not know ${route.method} ${route.path}`);
    const completed = completeOperation(operation as Operation, route, document, source.sunsetOf(route));
    document.paths[path] = { ...document.paths[path], [method]: completed as typeof operation };
  }
  document.tags = tagsOf(document, source.features);
  document.components = componentsOf(document, source);
  return document;
}

function contactOf({ contact }: Product): Pick<OpenAPIObject['info'], 'contact'> {
  if (contact === undefined) return {};
  const email = /^mailto:(.*)/.exec(contact)?.[1];
  return { contact: email === undefined ? { url: contact } : { email } };
}

/** Paths are relative to the servers, which end in `/v1`. */
function pathInDocument(route: Route): string {
  return route.path.replace(/^\/v1(?=\/)/, '');
}

/** The features, and what `@ApiTags` names besides. */
function tagsOf({ paths }: OpenAPIObject, features: readonly Feature[]): TagObject[] {
  const operations = Object.values(paths).flatMap((path) => Object.values(path) as Operation[]);
  const others = new Set(operations.flatMap(({ tags = [] }) => tags));
  for (const { name } of features) others.delete(name);
  return [...features.map(tagOf), ...[...others].map((name) => ({ name, description: `The operations of ${name}` }))];
}

function tagOf({ name, scopes = {} }: Feature): TagObject {
  const allowed = Object.entries(scopes).map(([scope, allows]) => `\`${scope}\` (${allows})`);
  return { name, description: allowed.length > 0 ? `Scopes: ${allowed.join(', ')}` : `The operations of ${name}` };
}

function componentsOf(document: OpenAPIObject, source: DocumentSource): Components {
  const { routes } = source;
  const components = (document.components ?? {}) as Components;
  const codes = routes.flatMap((route) => [...failuresOf(route).values()].flat());
  const all: Components = {
    ...components,
    schemas: { ...components.schemas, Error: errorSchema },
    parameters: { ...components.parameters, ...requestHeaders },
    headers: Object.assign(
      { ...components.headers, ...responseHeaders },
      ...routes.map((route) => operationHeaders(route, source)),
    ) as Components[string],
    examples: { ...components.examples, ...errorExamples(codes) },
  };
  const references = stringifyJson([document.paths, components.schemas]);
  for (const kind of ['parameters', 'headers', 'examples']) {
    const used = Object.entries(all[kind] ?? {}).filter(([name]) =>
      references.includes(`"#/components/${kind}/${name}"`),
    );
    all[kind] = Object.fromEntries(used);
  }
  return all;
}
