import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { Document, visit } from 'yaml';
import type { Feature } from '../../feature.js';
import { stringifyJson } from '../../json/index.js';
import type { Route } from '../../routing/index.js';
import type { DocumentSource, Product } from '../document-source.js';
import { completeOperation, type Operation } from './complete-operation.js';
import { completeSchema, schemasOf } from './schemas.js';
import { errorExamples, errorSchema, failuresOf } from './error-responses.js';
import { classesOfFields } from './named-inputs.js';
import { operationHeaders, requestHeaders, responseHeaders } from './headers.js';

type TagObject = NonNullable<OpenAPIObject['tags']>[number];
type Components = Record<string, Record<string, unknown> | undefined>;

/** The description of the whole document, in Markdown. */
const guide = `A store of animals over HTTP and JSON.

**Keys.** Every operation needs an API key, sent as \`Authorization: Bearer <API_KEY>\`.

**Pages.** A list answers a bare JSON array; its \`Link\` header holds the address of the next page, \`rel="next"\`, while
there is one.

**Repeat safely.** Operations that take an \`Idempotency-Key\` can be sent again after a failure without making anything
twice.

**Naming requests.** Any request may carry an \`X-Request-Id\` of 1 to 128 letters, digits, \`.\`, \`_\` and \`-\`: it comes
back in the answer and stands in the service's logs. A \`traceparent\` (W3C Trace Context) continues your trace.

**Integers.** Identifiers are int64 and exact on the wire. JavaScript's \`JSON.parse\` rounds those above 2^53: read them
with the source text that a reviver is given, or with a parser that keeps big integers.

**Failures.** Each has the same body: \`code\` for a program, \`message\` for a person, \`status\` as in the status line.
`;

const outline = new DocumentBuilder()
  .setOpenAPIVersion('3.1.0')
  // `addBearerAuth` would declare the token as a JWT.
  .addSecurity('bearerAuth', { type: 'http', scheme: 'bearer', description: 'An API key, `as_…`.' })
  .build();

/**
 * Builds the OpenAPI 3.1 document of every operation. @nestjs/swagger reads it from the controllers, and the route
 * table completes it, so that every possible response is declared. int64 bounds and examples are bigints.
 *
 * @throws {Error} if @nestjs/swagger does not know one of the routes.
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

/** The features, and the other tags that `@ApiTags` names. */
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

/** The texts of an OpenAPI document in its two formats. */
export interface DocumentTexts {
  readonly json: string;
  readonly yaml: string;
}

/**
 * Writes a format of the document when it is first read, indented for people, with every bigint exact. YAML is the
 * slowest.
 */
export function documentTexts(document: OpenAPIObject): DocumentTexts {
  return {
    get json() {
      return escapeBlanks(`${stringifyJson(document, 2)}\n`);
    },
    get yaml() {
      return writeYaml(document);
    },
  };
}

/** Invisible blanks, among them line breaks of YAML 1.1. Both formats escape them in quoted strings. */
const BLANKS = /[\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]/g;
/** Text that some YAML 1.1 parsers read as a number (Ruby: `1,000`), a symbol (Ruby: `:id`) or another type. */
const MISREAD = /^[\d.,:=+-]/;

const escapeBlanks = (text: string): string =>
  text.replace(BLANKS, (blank) => `\\u${blank.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Writes YAML that means the same in YAML 1.1, which the libraries of Python and Ruby read, and in YAML 1.2. */
function writeYaml(value: object): string {
  const document = new Document(value, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  visit(document, {
    Scalar(_, scalar) {
      if (typeof scalar.value !== 'string') return;
      if (MISREAD.test(scalar.value) || scalar.value.search(BLANKS) >= 0) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return escapeBlanks(document.toString());
}
