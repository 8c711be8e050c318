import type { SwaggerUi, SwaggerUiPlugin } from './swagger-ui.js';

interface ResponseProps {
  readonly code: string;
  readonly response: { get(name: 'description'): string | undefined };
}

/** A dozen failures with their examples make an operation several screens long: each is a line, until it is opened. */
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
