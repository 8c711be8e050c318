import type { SwaggerUi, SwaggerUiPlugin } from './swagger-ui.js';

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
