import type { SwaggerUiPlugin } from './swagger-ui.js';

type Authorizations = Record<string, { value?: unknown }>;

/** The key alone: people paste `Bearer as_…` as often as `as_…`, and Swagger UI adds a `Bearer` of its own. */
export function bareKey(pasted: string): string {
  return pasted.trim().replace(/^bearer\s+/i, '');
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

  /** The key that was accepted in this tab before, if any. */
  remembered(): string | undefined {
    return this.storage.getItem(this.slot) ?? undefined;
  }

  plugin(): SwaggerUiPlugin {
    const { scheme, storage, slot } = this;
    const authorize = (original: (given: Authorizations) => unknown) => (given: Authorizations) => {
      const mine = given[scheme];
      if (typeof mine?.value !== 'string') return original(given);
      const key = bareKey(mine.value);
      if (key === '') return undefined;
      storage.setItem(slot, key);
      return original({ ...given, [scheme]: { ...mine, value: key } });
    };
    const logout = (original: (schemes: string[]) => unknown) => (schemes: string[]) => {
      if (schemes.includes(scheme)) storage.removeItem(slot);
      return original(schemes);
    };
    return { statePlugins: { auth: { wrapActions: { authorize, logout } } } };
  }
}
