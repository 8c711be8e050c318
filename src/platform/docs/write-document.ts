import type { DocumentTexts } from './openapi/document-texts.js';
import type { DocumentSource } from './openapi/openapi-document.js';

export type { DocumentTexts };

/** The OpenAPI document. What writes it is loaded here, not at start: most processes are never asked for it. */
export async function writeDocument(source: DocumentSource): Promise<DocumentTexts> {
  const { buildOpenApiDocument } = await import('./openapi/openapi-document.js');
  const { documentTexts } = await import('./openapi/document-texts.js');
  return documentTexts(buildOpenApiDocument(source));
}
