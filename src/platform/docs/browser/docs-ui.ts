/** Starts Swagger UI on the documentation page. Runs in the browser; the page loads it as a module. */
import { followColourScheme, nameControls } from './accessibility.js';
import { documentInfo, foldedFailures, foldedHeaders, namedItems } from './operation-view.js';
import { exactNumbers } from './exact-numbers.js';
import { keyField } from './key-field.js';
import { deepLinkOfOperation, withThisServerFirst } from './operation-link.js';
import { explainNoAnswer, withWholeHeaders } from './plain-answers.js';
import type { DocumentInPage, SwaggerUi } from './swagger-ui.js';
import { TabAuthorization } from './tab-authorization.js';

declare const SwaggerUIBundle: (options: Record<string, unknown>) => SwaggerUi;
declare const location: { readonly href: string; readonly pathname: string; readonly hash: string };
declare const history: { replaceState(data: null, unused: string, url: string): void };
declare const sessionStorage: Storage;

followColourScheme();
nameControls();

const authorization = new TabAuthorization('bearerAuth', sessionStorage, `bearerAuth ${location.pathname}`);

// Read before Swagger UI starts, which would replace it by a link to no operation.
const asked = location.hash;
if (!asked.startsWith('#/')) history.replaceState(null, '', location.pathname);

function adapt(document: DocumentInPage, system: SwaggerUi): DocumentInPage {
  const link = deepLinkOfOperation(document, asked);
  if (link !== undefined) {
    history.replaceState(null, '', link);
    system.layoutActions.parseDeepLinkHash(link);
  }
  return withThisServerFirst(document, location.href);
}

const ui = SwaggerUIBundle({
  dom_id: '#swagger-ui',
  // Relative to the page, never to the root: a proxy may serve the whole under a prefix.
  url: './openapi.json',
  plugins: [
    exactNumbers(adapt),
    authorization.plugin(),
    documentInfo,
    foldedFailures,
    foldedHeaders,
    keyField,
    namedItems,
    explainNoAnswer(location.href),
  ],
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
  onComplete: () => {
    const key = authorization.remembered();
    if (key !== undefined) ui.preauthorizeApiKey('bearerAuth', key);
  },
});
