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

// Relative to the page, never to the root: a proxy may serve the whole under a prefix.
const DOCUMENT = './openapi.json';

/** Controls that Swagger UI leaves without a name, or with one that nobody would say. */
const names: readonly (readonly [selector: string, name: string | ((control: Element) => string)])[] = [
  ['#servers', 'Server'],
  ['.close-modal', 'Close'],
  ['.modal-btn.authorize', 'Authorize'],
  ['tr[data-param-name] select', (control) => control.closest('tr')?.getAttribute('data-param-name') ?? ''],
  ['textarea.body-param__text', 'Request body'],
  ['.content-type', 'Media type'],
  ['.examples-select-element', 'Example'],
];

/** Names what a screen reader would read as "edit" or "button" alone, whenever Swagger UI draws some of it. */
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

/** Dark or light, as the reader's system is; Swagger UI has both, and asks for a class to be dark. */
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

/** Undefined where it is not to be had, a second time neither: Swagger UI then asks for it, and says what is wrong. */
async function readDocument(triesLeft = 1): Promise<DocumentInPage | undefined> {
  try {
    const answer = await fetch(DOCUMENT);
    if (answer.ok) return withThisServerFirst(readExactly(await answer.text()), location.href);
  } catch {
    // Perhaps it was the network.
  }
  return triesLeft > 0 ? readDocument(triesLeft - 1) : undefined;
}

const spec = await readDocument();
// Swagger UI opens what the address names; of what it does not know it would make a link to no operation.
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
  // The curl line is of the request before that.
  showMutatedRequest: false,
  responseInterceptor: withWholeHeaders,
  deepLinking: true,
  displayOperationId: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  showCommonExtensions: true,
  filter: false,
  validatorUrl: null,
  // The default one prints numbers in a red that can hardly be read on its grey.
  syntaxHighlight: { activated: true, theme: 'monokai' },
  onComplete: () => authorization.restore(ui),
});
