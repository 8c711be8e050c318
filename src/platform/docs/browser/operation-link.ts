import type { DocumentInPage } from './swagger-ui.js';

/**
 * `#getPet`, the short link that a Deprecation response gives, as the link that Swagger UI understands: `#/pets/getPet`.
 *
 * @param hash `location.hash`.
 * @returns undefined when the hash does not name an operation of the document.
 */
export function deepLinkOfOperation(document: DocumentInPage, hash: string): string | undefined {
  const wanted = hash.slice(1);
  const operations = Object.values(document.paths ?? {}).flatMap((path) => Object.values(path));
  const operation = operations.find((candidate) => wanted !== '' && candidate.operationId === wanted);
  return operation && `#/${operation.tags?.[0] ?? 'default'}/${wanted}`;
}
