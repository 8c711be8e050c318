import type { SwaggerUi, SwaggerUiPlugin } from './swagger-ui.js';

interface AuthProps {
  readonly name: string;
  readonly schema: unknown;
  readonly authorized: { getIn(path: readonly string[]): unknown };
  readonly onChange: (given: { name: string; schema: unknown; value: string }) => void;
}

/** The parts of a request of Immutable.js, as the curl line is made of it. */
interface SentRequest {
  hasIn(path: readonly string[]): boolean;
  setIn(path: readonly string[], value: string): SentRequest;
}

const AUTHORIZATION = ['headers', 'Authorization'];

/** The field for the key, which nobody reads over a shoulder, and a curl line that can be shown to others. */
export const keyField: SwaggerUiPlugin = {
  wrapComponents: {
    HttpAuth: (_original: unknown, system: SwaggerUi) => (props: AuthProps) => {
      const { createElement } = system.React;
      const { name, schema, authorized, onChange } = props;
      if (authorized.getIn([name]) !== undefined) return createElement('p', null, 'A key is set, for this tab.');
      const field = {
        id: 'auth-bearer-value',
        type: 'password',
        autoComplete: 'off',
        autoFocus: true,
        'aria-describedby': 'docs-key-hint',
        onChange: ({ target }: { target: { value: string } }) => onChange({ name, schema, value: target.value }),
      };
      const hint = 'It begins with as_live_ or as_test_. Paste it alone; this tab forgets it when it is closed.';
      return createElement(
        'div',
        { className: 'docs-key' },
        createElement('label', { htmlFor: field.id }, 'API key'),
        createElement('input', field),
        createElement('p', { id: 'docs-key-hint' }, hint),
      );
    },
    curl: (Original: unknown, system: SwaggerUi) => (props: { readonly request: SentRequest }) => {
      const hidden = props.request.hasIn(AUTHORIZATION)
        ? props.request.setIn(AUTHORIZATION, 'Bearer <API_KEY>')
        : props.request;
      return system.React.createElement(Original, { ...props, request: hidden });
    },
  },
};
