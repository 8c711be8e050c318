import type { DocumentInPage, SwaggerUi, SwaggerUiPlugin } from './swagger-ui.js';

interface ResponseProps {
  readonly code: string;
  readonly response: { get(name: 'description'): string | undefined };
}

/** A dozen failures with examples make an operation several screens long, so each is one line until it is opened. */
export const foldedFailures: SwaggerUiPlugin = {
  wrapComponents: {
    response: (Original: unknown, system: SwaggerUi) => (props: ResponseProps) => {
      const { createElement, useState } = system.React;
      const [isOpen, setOpen] = useState(!(Number(props.code) >= 400));
      if (isOpen) return createElement(Original, props);
      const toggle = { type: 'button', 'aria-expanded': false, onClick: () => setOpen(true) };
      const description = (props.response.get('description') ?? '').replaceAll('`', '');
      const code = createElement('td', { className: 'response-col_status' }, props.code);
      const line = createElement('td', { colSpan: 2 }, createElement('button', toggle, description));
      return createElement('tr', { className: 'response docs-failure', 'data-code': props.code }, code, line);
    },
  },
};

/** Every answer may carry half a dozen headers. Folded away, so that the answers themselves can be seen at a glance. */
export const foldedHeaders: SwaggerUiPlugin = {
  wrapComponents: {
    headers: (Original: unknown, system: SwaggerUi) => (props: { readonly headers?: { readonly size: number } }) => {
      const { createElement } = system.React;
      if (!props.headers?.size) return null;
      const summary = createElement('summary', null, `Headers (${props.headers.size})`);
      return createElement('details', { className: 'docs-headers' }, summary, createElement(Original, props));
    },
  },
};

interface TypeProps {
  readonly schema: { readonly type?: unknown; readonly items?: { readonly $ref?: string } } | boolean;
}

/** A list says of what: `array<Pet>`. Swagger UI follows a reference only once it is opened, and writes `any` before. */
export const namedItems: SwaggerUiPlugin = {
  wrapComponents: {
    JSONSchema202012KeywordType: (Original: unknown, system: SwaggerUi) => (props: TypeProps) => {
      const { createElement } = system.React;
      const name = nameOfItems(props.schema);
      if (name === undefined) return createElement(Original, props);
      const className = 'json-schema-2020-12__attribute json-schema-2020-12__attribute--primary docs-items';
      return createElement('strong', { className }, `array<${name}>`);
    },
  },
};

function nameOfItems(schema: TypeProps['schema']): string | undefined {
  return typeof schema === 'object' && schema.type === 'array' ? schema.items?.$ref?.split('/').at(-1) : undefined;
}

/**
 * What the document says of itself stands behind the operations, above the schemas: who comes wants to see those first.
 * Its title, version and address are in the page's own heading already.
 */
export const documentInfo: SwaggerUiPlugin = {
  wrapComponents: {
    InfoContainer: () => () => null,
    Models: (Original: unknown, system: SwaggerUi) => (props: object) => {
      const { createElement } = system.React;
      const source = system.specSelectors.selectInfoDescriptionField();
      const description = createElement(system.getComponent('Markdown', true), { source });
      const licence = createElement(system.getComponent('License', true), null);
      const info = createElement('div', { className: 'info' }, description, licence);
      return createElement('div', null, info, createElement(Original, props));
    },
  },
};

/**
 * `#getPet`, the short link that a Deprecation response gives, as the link that Swagger UI understands: `#/pets/getPet`.
 *
 * @param hash `location.hash`.
 * @returns undefined when the hash does not name an operation of the document.
 */
export function deepLinkOfOperation(document: DocumentInPage, hash: string): string | undefined {
  const wanted = hash.slice(1);
  const operations = Object.values(document.paths ?? {}).flatMap((path) => Object.values(path));
  const operation = operations.find((candidate) => wanted !== '' && candidate.operationId === wanted);
  return operation && `#/${operation.tags?.[0] ?? 'default'}/${wanted}`;
}

/**
 * Puts the server that the page came from first, so that "Try it out" works under any host name and behind a proxy that
 * adds a path prefix, without CORS.
 *
 * @param pageUrl where the page is, e.g. `https://example.org/animals/docs`.
 */
export function withThisServerFirst(document: DocumentInPage, pageUrl: string): DocumentInPage {
  const here = new URL('./v1', pageUrl).href;
  const servers = document.servers ?? [];
  const known = servers.find((server) => server.url === here);
  const first = known ?? { url: here, description: 'This server' };
  return { ...document, servers: [first, ...servers.filter((server) => server !== known)] };
}

interface Answer {
  readonly headers: Record<string, string | string[]>;
}

/** What Swagger UI makes of a request; `err.response` is there when something answered. */
interface Outcome {
  readonly error?: boolean;
  readonly err?: { readonly name: string; readonly message: string; readonly response?: unknown };
}

type SetResponse = (path: string, method: string, outcome: Outcome) => unknown;

/** Headers as they came. Swagger UI takes each apart at `, `, which the date of a Sunset has too, and shows `,`. */
export function withWholeHeaders(answer: Answer): Answer {
  for (const [name, value] of Object.entries(answer.headers)) {
    if (Array.isArray(value)) answer.headers[name] = value.join(', ');
  }
  return answer;
}

/**
 * Says why nothing answered. Swagger UI suspects CORS, which has no part in a page that asks its own server.
 *
 * @param pageUrl where the page is.
 */
export function explainNoAnswer(pageUrl: string): SwaggerUiPlugin {
  const setResponse =
    (original: SetResponse, system: SwaggerUi): SetResponse =>
    (path, method, outcome) => {
      if (!outcome.error || outcome.err?.response !== undefined) return original(path, method, outcome);
      const message = reason(system.oas3Selectors.selectedServer(), pageUrl);
      return original(path, method, { error: true, err: { name: '', message } });
    };
  // What is refused before it is sent must not stand above the answer to what was sent before.
  const validateParams =
    (original: (operation: [path: string, method: string]) => unknown, system: SwaggerUi) =>
    (operation: [path: string, method: string]) => {
      system.specActions.clearResponse(...operation);
      return original(operation);
    };
  return { statePlugins: { spec: { wrapActions: { setResponse, validateParams } } } };
}

export function reason(server: string, pageUrl: string): string {
  const asked = new URL(server, pageUrl);
  if (asked.origin === new URL(pageUrl).origin) return `No answer from ${asked.href}: is the service running?`;
  return `This page asks no other server than its own. Choose the first one under **Servers**, or send the request with curl.`;
}
