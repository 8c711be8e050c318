import type { SwaggerUi, SwaggerUiPlugin } from './swagger-ui.js';

/** What the document says of itself. Its title, version and address stand in the page's own heading already. */
export const documentInfo: SwaggerUiPlugin = {
  wrapComponents: {
    OAS31Info: (_original: unknown, system: SwaggerUi) => () => {
      const { createElement } = system.React;
      const source = system.specSelectors.selectInfoDescriptionField();
      const description = createElement(system.getComponent('Markdown', true), { source });
      const licence = createElement(system.getComponent('License', true), null);
      return createElement('div', { className: 'info' }, description, licence);
    },
  },
};
