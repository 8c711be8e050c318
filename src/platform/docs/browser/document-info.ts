import type { SwaggerUi, SwaggerUiPlugin } from './swagger-ui.js';

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
