/** Starts Swagger UI on the documentation page. Runs in the browser; the page loads it as a module. */
import { followColourScheme, nameControls } from './accessibility.js';
import { keyField, TabAuthorization } from './api-key.js';
import { documentInfo, foldedFailures, foldedHeaders, namedItems } from './operation-view.js';
import { exactNumbers, readExactly } from './exact-numbers.js';
import { deepLinkOfOperation, withThisServerFirst } from './operation-link.js';
import { explainNoAnswer, withWholeHeaders } from './plain-answers.js';
import type { DocumentInPage, SwaggerUi } from './swagger-ui.js';

declare const SwaggerUIBundle: (options: Record<string, unknown>) => SwaggerUi;
declare const location: { readonly href: string; readonly pathname: string; readonly hash: string };
declare const history: { replaceState(data: null, unused: string, url: string): void };
declare const sessionStorage: Storage;

// Relative to the page, never to the root: a proxy may serve the whole under a prefix.
const DOCUMENT = './openapi.json';

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
