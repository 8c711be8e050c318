import type { SwaggerUi, SwaggerUiPlugin } from './swagger-ui.js';

type Authorizations = Record<string, { value?: unknown }>;

/** The value that Swagger UI holds in place of the key, so that its curl line can be shown to others. */
const HIDDEN = '<API_KEY>';

/**
 * Returns the key without `Bearer`. People paste `Bearer as_…` as often as `as_…`, and Swagger UI adds `Bearer` itself.
 */
export function bareKey(pasted: string): string {
  return pasted.trim().replace(/^bearer\s+/i, '');
}

/** A request of Swagger UI before it is sent. The request for the document is one of them. */
interface Request {
  readonly headers?: Record<string, string>;
}

/**
 * Keeps the key for this tab in sessionStorage, so that it survives a reload and is deleted with the tab. Swagger UI's
 * own `persistAuthorization` would store it in localStorage permanently, readable for every later user of the browser.
 *
 * @param storage the tab's sessionStorage.
 * @param slot the name of the entry. It contains the page's path, because one host may serve several pages.
 */
export class TabAuthorization {
  constructor(
    private readonly scheme: string,
    private readonly storage: Storage,
    private readonly slot: string,
  ) {}

  /** Authorises Swagger UI with the key that was entered earlier in this tab, if there is one. */
  restore(ui: SwaggerUi): void {
    if (this.storage.getItem(this.slot) !== null) ui.preauthorizeApiKey(this.scheme, HIDDEN);
  }

  /** Puts the real key into each request that has an Authorization header. */
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

/** The input field for the key. It has the type `password`, so that nobody can read the key on the screen. */
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
