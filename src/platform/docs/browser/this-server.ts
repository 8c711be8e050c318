import type { DocumentInPage } from './swagger-ui.js';

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
