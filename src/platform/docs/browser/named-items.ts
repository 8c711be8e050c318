import type { SwaggerUi, SwaggerUiPlugin } from './swagger-ui.js';

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
