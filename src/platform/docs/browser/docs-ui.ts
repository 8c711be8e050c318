/** Starts Swagger UI on the documentation page. Runs in the browser; the page loads it as a module. */
import { keyField, TabAuthorization } from './api-key.js';
import { exactNumbers, readExactly } from './exact-numbers.js';
import {
  deepLinkOfOperation,
  documentInfo,
  explainNoAnswer,
  foldedFailures,
  foldedHeaders,
  namedItems,
  withThisServerFirst,
  withWholeHeaders,
} from './operation-view.js';
import type { DocumentInPage, SwaggerUi } from './swagger-ui.js';

declare const SwaggerUIBundle: (options: Record<string, unknown>) => SwaggerUi;
declare const location: { readonly href: string; readonly pathname: string; readonly hash: string };
declare const history: { replaceState(data: null, unused: string, url: string): void };
declare const sessionStorage: Storage;

interface Element {
  setAttribute(name: string, value: string): void;
  getAttribute(name: string): string | null;
  closest(selector: string): Element | null;
}

declare const document: {
  readonly body: unknown;
  readonly documentElement: { readonly classList: { toggle(name: string, on: boolean): void } };
  querySelectorAll(selector: string): Iterable<Element>;
};

declare function matchMedia(query: string): {
  readonly matches: boolean;
  addEventListener(type: 'change', listener: () => void): void;
};

declare class MutationObserver {
  constructor(changed: () => void);
  observe(node: unknown, options: { childList: boolean; subtree: boolean }): void;
}

// Relative to the page, never to the root: a proxy may serve the page under a path prefix.
const DOCUMENT = './openapi.json';

/** Controls to which Swagger UI gives no accessible name, or an unusable one. */
const names: readonly (readonly [selector: string, name: string | ((control: Element) => string)])[] = [
  ['#servers', 'Server'],
  ['.close-modal', 'Close'],
  ['.modal-btn.authorize', 'Authorize'],
  ['tr[data-param-name] select', (control) => control.closest('tr')?.getAttribute('data-param-name') ?? ''],
  ['textarea.body-param__text', 'Request body'],
  ['.content-type', 'Media type'],
  ['.examples-select-element', 'Example'],
];

/**
 * Names the controls that a screen reader would read only as "edit" or "button", each time that Swagger UI draws some.
 */
function nameControls(): void {
  const nameAll = (): void => {
    for (const [selector, name] of names) {
      for (const control of document.querySelectorAll(selector)) {
        control.setAttribute('aria-label', typeof name === 'string' ? name : name(control));
      }
    }
  };
  new MutationObserver(nameAll).observe(document.body, { childList: true, subtree: true });
}

/**
 * Follows the dark or light scheme of the reader's system. Swagger UI has both, and needs the class `dark-mode` for
 * dark.
 */
function followColourScheme(): void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const follow = (): void => {
    document.documentElement.classList.toggle('dark-mode', dark.matches);
  };
  follow();
  dark.addEventListener('change', follow);
}

followColourScheme();
nameControls();

const authorization = new TabAuthorization('bearerAuth', sessionStorage, `bearerAuth ${location.pathname}`);

/** Undefined if the second try fails too. Swagger UI then requests the document itself, and shows what is wrong. */
async function readDocument(triesLeft = 1): Promise<DocumentInPage | undefined> {
  try {
    const answer = await fetch(DOCUMENT);
    if (answer.ok) return withThisServerFirst(readExactly(await answer.text()), location.href);
  } catch {
    // Probably a network failure, so try again.
  }
  return triesLeft > 0 ? readDocument(triesLeft - 1) : undefined;
}

const spec = await readDocument();
// Swagger UI opens the operation that the fragment names. For a fragment that it does not know it would write a broken
// link.
const link = deepLinkOfOperation(spec ?? {}, location.hash);
if (!location.hash.startsWith('#/')) history.replaceState(null, '', link ?? location.pathname);

const ui = SwaggerUIBundle({
  dom_id: '#swagger-ui',
  ...(spec === undefined ? { url: DOCUMENT } : { spec }),
  plugins: [
    exactNumbers,
    authorization.plugin(),
    documentInfo,
    foldedFailures,
    foldedHeaders,
    keyField,
    namedItems,
    explainNoAnswer(location.href),
  ],
  requestInterceptor: authorization.withKey,
  // Otherwise the curl line would show the request after the interceptor, with the key.
  showMutatedRequest: false,
  responseInterceptor: withWholeHeaders,
  deepLinking: true,
  displayOperationId: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  showCommonExtensions: true,
  filter: false,
  validatorUrl: null,
  // The default theme prints numbers in a red that is hard to read on its grey.
  syntaxHighlight: { activated: true, theme: 'monokai' },
  onComplete: () => authorization.restore(ui),
});
