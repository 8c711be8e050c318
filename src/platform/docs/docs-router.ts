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
 * Serves `/docs` with its assets and the guide, `/openapi.json` and `/openapi.yaml`, all without a key, and sends a browser that asks
 * for `/` to the page. Every other path is left to the next handler.
 *
 * @param texts the document; asked for once, at the first request for it.
 */
export function docsRouter(product: Product, texts: () => Promise<DocumentTexts>): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const document = once(texts);
  const contents: Readonly<Record<string, () => Content | Promise<Content>>> = {
    '/docs': () =>
      contentOf('text/html; charset=utf-8', docsPage(product), { 'Content-Security-Policy': docsPagePolicy }),
    '/docs/assets/docs.css': () => contentOf('text/css; charset=utf-8', docsStyle),
    '/docs/assets/logo.svg': () => contentOf('image/svg+xml', docsLogo),
    // As plain text, which every browser shows.
    '/docs/api.md': () => contentOf('text/plain; charset=utf-8', readFileSync(guidePath)),
    '/openapi.json': async () => contentOf('application/json; charset=utf-8', (await document()).json),
    // RFC 9512 names YAML's media type.
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

/** Checked again each time, which costs a 304: a release changes the page and its parts together. */
const fixedHeaders = { 'Cache-Control': 'no-cache' };

/** The media types of the assets, by extension. */
const typeOf: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

/** Tagged by content, not by time: images built to be reproducible give every file of every release the same time. */
function contentOf(type: string, content: string | Buffer, headers: Readonly<Record<string, string>> = {}): Content {
  const body = Buffer.from(content);
  return { type, body, headers, tag: `"${hash('sha1', body, 'base64url')}"` };
}

/** Whole, whatever Range and the preconditions of other methods say: `sendFile` would have errors of its own for them. */
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

/** A relative Location, so that a proxy's path prefix is kept. */
const sendBrowserToDocs: RequestHandler = (request, response, next) => {
  // `all` and this, where `get` would be enough: for that, Express answers OPTIONS by itself.
  if (!['GET', 'HEAD'].includes(request.method) || request.accepts(['application/json', 'text/html']) !== 'text/html') {
    next();
    return;
  }
  response.status(302).vary('Accept').set({ Location: './docs', 'Cache-Control': 'no-store' }).end();
};

/** Makes it when it is first asked for; after a failure the next caller tries again. */
function once<T>(make: () => T | Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    (made ??= (async () => make())().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}

/**
 * Serves `/docs`, `/openapi.json`, `/openapi.yaml`, and sends a browser from `/` to the page. To be called before the
 * application is initialised, so that it comes before the answer for what no route took.
 *
 * @param source asked at the first request for the document, when the listening port is known. Building takes some 25 ms
 * for three operations, and YAML as much again; a service that nobody asks for its document never spends them.
 */
export function mountDocs(application: INestApplication, source: () => DocumentSource): void {
  application.use(docsRouter(productOf(application), () => writeDocument(source())));
}

/** The OpenAPI document. What writes it is loaded here, not at start: most processes are never asked for it. */
export async function writeDocument(source: DocumentSource): Promise<DocumentTexts> {
  const { buildOpenApiDocument, documentTexts } = await import('./openapi/openapi-document.js');
  return documentTexts(buildOpenApiDocument(source));
}

const require = createRequire(import.meta.url);

/** docs/api.md, of the package and of this repository. */
const guidePath = fileURLToPath(new URL('../../../docs/api.md', import.meta.url));

const ofSwaggerUi = ['swagger-ui-bundle.js', 'swagger-ui.css'];
const ofThisPage = ['api-key.js', 'docs-ui.js', 'exact-numbers.js', 'operation-view.js'];

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
