import type { SwaggerUi, SwaggerUiPlugin } from './swagger-ui.js';

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
