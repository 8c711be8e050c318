import type { INestApplication } from '@nestjs/common';
import type { Feature } from '../feature.js';
import { Deprecations, PublicUrls, RouteTable } from '../routing/index.js';
import type { DocumentSource } from './openapi/openapi-document.js';
import { productOf, type DocumentServer } from './product.js';
import type { DocumentTexts } from './openapi/document-texts.js';

/** What the document of an application is made of, one that serves or one that only prints it. */
export function documentSource(
  application: INestApplication,
  features: readonly Feature[],
  servers: readonly DocumentServer[],
): DocumentSource {
  const deprecations = application.get(Deprecations);
  const urls = new PublicUrls(servers[0]?.url);
  return {
    application,
    product: productOf(application),
    features,
    routes: application.get(RouteTable).all(),
    servers,
    urls,
    sunsetOf: (route) => deprecations.sunsetOf(route),
    announcementOf: (route) => route.deprecated && deprecations.announcementOf(route, route.deprecated, urls),
  };
}

export type { DocumentTexts };

/** The OpenAPI document. What writes it is loaded here, not at start: most processes are never asked for it. */
export async function writeDocument(source: DocumentSource): Promise<DocumentTexts> {
  const { buildOpenApiDocument } = await import('./openapi/openapi-document.js');
  const { documentTexts } = await import('./openapi/document-texts.js');
  return documentTexts(buildOpenApiDocument(source));
}
