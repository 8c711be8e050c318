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

/**
 * Puts the server that the page came from first, so that "Try it out" works under any host name and behind a proxy that
 * adds a path prefix, without CORS.
 *
 * @param pageUrl where the page is, e.g. `https://example.org/animals/docs`.
 */
export function withThisServerFirst(document: DocumentInPage, pageUrl: string): DocumentInPage {
  const here = new URL('./v1', pageUrl).href;
  const servers = document.servers ?? [];
  const known = servers.find((server) => server.url === here);
  const first = known ?? { url: here, description: 'This server' };
  return { ...document, servers: [first, ...servers.filter((server) => server !== known)] };
}
