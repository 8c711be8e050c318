import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname, join, dirname } from 'node:path';
import { Router, type RequestHandler } from 'express';
import { ApiError, coreErrors } from '../errors/index.js';
import { docsLogo, docsPage, docsPagePolicy, docsStyle } from './docs-page.js';
import { productOf, type DocumentSource, type Product } from './document-source.js';
import type { INestApplication } from '@nestjs/common';
import type { DocumentTexts } from './openapi/openapi-document.js';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

interface Content {
  readonly type: string;
  readonly body: Buffer;
  readonly tag: string;
  readonly headers: Readonly<Record<string, string>>;
}

const ALLOW = 'GET, HEAD, OPTIONS';

/**
 * Serves `/docs` with its assets and the guide, `/openapi.json` and `/openapi.yaml`, all without a key. Redirects a
 * browser from `/` to the page. Every other path goes to the next handler.
 *
 * @param texts called once, at the first request for the document.
 */
export function docsRouter(product: Product, texts: () => Promise<DocumentTexts>): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const document = once(texts);
  const contents: Readonly<Record<string, () => Content | Promise<Content>>> = {
    '/docs': () =>
      contentOf('text/html; charset=utf-8', docsPage(product), { 'Content-Security-Policy': docsPagePolicy }),
    '/docs/assets/docs.css': () => contentOf('text/css; charset=utf-8', docsStyle),
    '/docs/assets/logo.svg': () => contentOf('image/svg+xml', docsLogo),
    // Plain text, because every browser shows it.
    '/docs/api.md': () => contentOf('text/plain; charset=utf-8', readFileSync(guidePath)),
    '/openapi.json': async () => contentOf('application/json; charset=utf-8', (await document()).json),
    // The media type of YAML is defined by RFC 9512.
    '/openapi.yaml': async () => contentOf('application/yaml', (await document()).yaml),
  };
  for (const [path, content] of Object.entries(contents)) serve(router, path, once(content));
  for (const [name, root] of docsAssetFolders()) {
    const asset = once(() => contentOf(typeOf[extname(name)] ?? '', readFileSync(join(root, name))));
    serve(router, `/docs/assets/${name}`, asset);
  }
  router.all('/', sendBrowserToDocs);
  return router;
}

/** The browser revalidates at each use, which costs a 304: a release changes the page and its parts together. */
const fixedHeaders = { 'Cache-Control': 'no-cache' };

/** The media types of the assets, by extension. */
const typeOf: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

/**
 * The ETag depends on the content, not on the modification time: reproducible images give every file of every release
 * the same time.
 */
function contentOf(type: string, content: string | Buffer, headers: Readonly<Record<string, string>> = {}): Content {
  const body = Buffer.from(content);
  return { type, body, headers, tag: `"${hash('sha1', body, 'base64url')}"` };
}

/**
 * Sends the whole content and ignores Range and preconditions, for which `sendFile` would answer with errors of its
 * own.
 */
function serve(router: Router, path: string, content: () => Promise<Content>): void {
  router
    .route(path)
    .get(async (_request, response) => {
      const { type, body, tag, headers } = await content();
      response.set({ ...fixedHeaders, ...headers, ETag: tag, 'Content-Type': type }).send(body);
    })
    .options((_request, response) => {
      response.status(204).set({ Allow: ALLOW, 'Cache-Control': 'no-store' }).end();
    })
    .all(() => {
      throw new ApiError(coreErrors.methodNotAllowed, undefined, { headers: { Allow: ALLOW } });
    });
}

/** The Location is relative, so that a proxy's path prefix is kept. */
const sendBrowserToDocs: RequestHandler = (request, response, next) => {
  // `all` with this check instead of `get`, because Express itself answers OPTIONS for a route that has only `get`.
  if (!['GET', 'HEAD'].includes(request.method) || request.accepts(['application/json', 'text/html']) !== 'text/html') {
    next();
    return;
  }
  response.status(302).vary('Accept').set({ Location: './docs', 'Cache-Control': 'no-store' }).end();
};

/** Calls `make` at the first call and keeps its result. After a failure the next call tries again. */
function once<T>(make: () => T | Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    (made ??= (async () => make())().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}

/**
 * Serves `/docs`, `/openapi.json` and `/openapi.yaml`, and redirects a browser from `/` to the page. Must be called
 * before the application is initialised, so that these routes come before the handler that answers 404.
 *
 * @param source called at the first request for the document, when the listening port is known. To build the document
 * takes some 25 ms for three operations, and YAML as much again. A service that is never asked for its document does
 * not pay for it.
 */
export function mountDocs(application: INestApplication, source: () => DocumentSource): void {
  application.use(docsRouter(productOf(application), () => writeDocument(source())));
}

/**
 * Builds the OpenAPI document. The code for it is loaded here and not at start, because most processes never need it.
 */
export async function writeDocument(source: DocumentSource): Promise<DocumentTexts> {
  const { buildOpenApiDocument, documentTexts } = await import('./openapi/openapi-document.js');
  return documentTexts(buildOpenApiDocument(source));
}

const require = createRequire(import.meta.url);

/** docs/api.md, both in the package and in the repository. */
const guidePath = fileURLToPath(new URL('../../../docs/api.md', import.meta.url));

const ofSwaggerUi = ['swagger-ui-bundle.js', 'swagger-ui.css'];
const ofThisPage = ['api-key.js', 'docs-ui.js', 'exact-numbers.js', 'operation-view.js'];

/** The files that the page loads, by name, each with its folder. No other file of these folders is served. */
export function docsAssetFolders(): ReadonlyMap<string, string> {
  const own = fileURLToPath(new URL('./browser/', import.meta.url));
  // Resolved, not imported: an import of the package's entry would load the whole of Swagger UI into this process.
  const swaggerUi = dirname(require.resolve('swagger-ui-dist/package.json'));
  return new Map([
    ...ofSwaggerUi.map((name) => [name, swaggerUi] as const),
    ...ofThisPage.map((name) => [name, own] as const),
  ]);
}
