import type { INestApplication } from '@nestjs/common';
import { docsRouter } from './docs-router.js';
import type { DocumentSource } from './openapi/openapi-document.js';
import { animalStore } from './product.js';
import { writeDocument } from './write-document.js';

/**
 * Serves `/docs`, `/openapi.json`, `/openapi.yaml`, and the way from `/` to the page. To be called before the
 * application is initialised, so that it comes before the answer for what no route took.
 *
 * @param source asked at the first request for the document, when the listening port is known. Building takes some 25 ms
 * for three operations, and YAML as much again; a service that nobody asks for its document never spends them.
 */
export function mountDocs(application: INestApplication, source: () => DocumentSource): void {
  application.use(docsRouter(animalStore, () => writeDocument(source())));
}
