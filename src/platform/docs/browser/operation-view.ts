import type { DocumentInPage, SwaggerUi, SwaggerUiPlugin } from './swagger-ui.js';

interface ResponseProps {
  readonly code: string;
  readonly response: { get(name: 'description'): string | undefined };
}

/**
 * Shows each failure as one line until it is opened. A dozen failures with examples would make an operation several
 * screens long.
 */
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

/**
 * Folds the headers of a response away. A response can have half a dozen of them, which would hide the responses
 * themselves.
 */
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

/**
 * Shows the item type of a list: `array<Pet>`. Swagger UI resolves a reference only when it is opened, and shows `any`
 * before.
 */
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
 * Shows the document's description after the operations and above the schemas, because readers look for the operations
 * first. The page's own heading already shows title, version and address.
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
 * Turns `#getPet`, the short link in the headers of a deprecated operation, into the link of Swagger UI:
 * `#/pets/getPet`.
 *
 * @param hash `location.hash`.
 * @returns undefined if the hash does not name an operation of the document.
 */
export function deepLinkOfOperation(document: DocumentInPage, hash: string): string | undefined {
  const wanted = hash.slice(1);
  const operations = Object.values(document.paths ?? {}).flatMap((path) => Object.values(path));
  const operation = operations.find((candidate) => wanted !== '' && candidate.operationId === wanted);
  return operation && `#/${operation.tags?.[0] ?? 'default'}/${wanted}`;
}

/**
 * Puts the server that served the page first. "Try it out" then works without CORS under any host name, and behind a
 * proxy that adds a path prefix.
 *
 * @param pageUrl the address of the page, e.g. `https://example.org/animals/docs`.
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

/** The result of a request in Swagger UI. `err.response` is present if a server answered. */
interface Outcome {
  readonly error?: boolean;
  readonly err?: { readonly name: string; readonly message: string; readonly response?: unknown };
}

type SetResponse = (path: string, method: string, outcome: Outcome) => unknown;

/**
 * Joins header values again. Swagger UI splits each value at `, `, which the date of Sunset contains, and shows it with
 * `,`.
 */
export function withWholeHeaders(answer: Answer): Answer {
  for (const [name, value] of Object.entries(answer.headers)) {
    if (Array.isArray(value)) answer.headers[name] = value.join(', ');
  }
  return answer;
}

/**
 * Shows why no answer came. Swagger UI suspects CORS, which does not apply to a page that calls its own server.
 *
 * @param pageUrl the address of the page.
 */
export function explainNoAnswer(pageUrl: string): SwaggerUiPlugin {
  const setResponse =
    (original: SetResponse, system: SwaggerUi): SetResponse =>
    (path, method, outcome) => {
      if (!outcome.error || outcome.err?.response !== undefined) return original(path, method, outcome);
      const message = reason(system.oas3Selectors.selectedServer(), pageUrl);
      return original(path, method, { error: true, err: { name: '', message } });
    };
  // If validation stops a request before it is sent, the response to the previous request must not stay on the page.
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
