import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);

const ofSwaggerUi = ['swagger-ui-bundle.js', 'swagger-ui.css'];
const ofThisPage = [
  'colour-scheme.js',
  'document-info.js',
  'docs-ui.js',
  'exact-integer.js',
  'exact-numbers.js',
  'folded-failures.js',
  'folded-headers.js',
  'indent-json.js',
  'key-field.js',
  'named-controls.js',
  'named-items.js',
  'operation-link.js',
  'plain-answers.js',
  'tab-authorization.js',
  'this-server.js',
];

/** The files that the page loads, by name, each with the folder it is in. Nothing else of those folders is served. */
export function docsAssetFolders(): ReadonlyMap<string, string> {
  const own = fileURLToPath(new URL('./browser/', import.meta.url));
  // Resolved, not imported: the package's own entry would load the whole of Swagger UI into this process.
  const swaggerUi = dirname(require.resolve('swagger-ui-dist/package.json'));
  return new Map([
    ...ofSwaggerUi.map((name) => [name, swaggerUi] as const),
    ...ofThisPage.map((name) => [name, own] as const),
  ]);
}
