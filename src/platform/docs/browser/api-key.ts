import type { SwaggerUi, SwaggerUiPlugin } from './swagger-ui.js';

type Authorizations = Record<string, { value?: unknown }>;

/** What Swagger UI has in place of the key: its curl line can be shown to others. */
const HIDDEN = '<API_KEY>';

/** The key alone: people paste `Bearer as_…` as often as `as_…`, and Swagger UI adds a `Bearer` of its own. */
export function bareKey(pasted: string): string {
  return pasted.trim().replace(/^bearer\s+/i, '');
}

/** A request of Swagger UI, before it is sent. The request for the document is one too. */
interface Request {
  readonly headers?: Record<string, string>;
}

/**
 * Keeps the key for this tab: in sessionStorage, so that it survives a reload and ends with the tab. Swagger UI's own
 * `persistAuthorization` would leave it in localStorage, for good and for every later visitor of the browser.
 *
 * @param storage the tab's sessionStorage.
 * @param slot the name to keep it under; the page's path is part of it, as one host may serve several pages.
 */
export class TabAuthorization {
  constructor(
    private readonly scheme: string,
    private readonly storage: Storage,
    private readonly slot: string,
  ) {}

  /** Has Swagger UI send the key that was accepted in this tab before, if any. */
  restore(ui: SwaggerUi): void {
    if (this.storage.getItem(this.slot) !== null) ui.preauthorizeApiKey(this.scheme, HIDDEN);
  }

  /** Puts the key into a request that is sent with one. */
  readonly withKey = (request: Request): Request => {
    const key = this.storage.getItem(this.slot);
    if (key !== null && request.headers?.['Authorization'] !== undefined) {
      request.headers['Authorization'] = `Bearer ${key}`;
    }
    return request;
  };

  plugin(): SwaggerUiPlugin {
    const { scheme, storage, slot } = this;
    const authorize = (original: (given: Authorizations) => unknown) => (given: Authorizations) => {
      const mine = given[scheme];
      if (typeof mine?.value !== 'string' || mine.value === HIDDEN) return original(given);
      const key = bareKey(mine.value);
      if (key === '') return undefined;
      storage.setItem(slot, key);
      return original({ ...given, [scheme]: { ...mine, value: HIDDEN } });
    };
    const logout = (original: (schemes: string[]) => unknown) => (schemes: string[]) => {
      if (schemes.includes(scheme)) storage.removeItem(slot);
      return original(schemes);
    };
    return { statePlugins: { auth: { wrapActions: { authorize, logout } } } };
  }
}

interface AuthProps {
  readonly name: string;
  readonly schema: unknown;
  readonly authorized: { getIn(path: readonly string[]): unknown };
  readonly onChange: (given: { name: string; schema: unknown; value: string }) => void;
}

/** The field for the key, which nobody reads over a shoulder. */
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
  },
};
