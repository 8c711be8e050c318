import type { Product } from './product.js';

/**
 * What the page may load: files and answers of this very host. Sent with the page alone, so that nothing else is
 * loosened. No `upgrade-insecure-requests`: the page has to work on plain http inside a network.
 */
export const docsPagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "form-action 'none'",
].join('; ');

/** The page at `/docs`. Every address is relative to it, so that a proxy may put a path prefix before it. */
export function docsPage(product: Product): string {
  const name = escapeHtml(product.name);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name} API</title>
<link rel="icon" type="image/svg+xml" href="./docs/assets/logo.svg">
<link rel="stylesheet" href="./docs/assets/swagger-ui.css">
<link rel="stylesheet" href="./docs/assets/docs.css">
<script defer src="./docs/assets/swagger-ui-bundle.js"></script>
<script type="module" src="./docs/assets/docs-ui.js"></script>
</head>
<body>
<header class="docs-header">
<img src="./docs/assets/logo.svg" alt="" width="40" height="40">
<h1>${name}</h1>
<p>API ${escapeHtml(product.version)}: <a href="./openapi.json">openapi.json</a>, <a href="./openapi.yaml">openapi.yaml</a>, <a href="./docs/api.md">api.md</a>${contactLink(product)}</p>
</header>
<div id="swagger-ui"></div>
${guide}
<noscript><p class="docs-header">This page needs JavaScript. The document itself does not.</p></noscript>
</body>
</html>
`;
}

/** A paw: the mark of the page, and its icon. */
export const docsLogo = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><rect width="40" height="40" rx="9" fill="#2f6b4a"/>
<g fill="#fff"><ellipse cx="11" cy="18" rx="3.4" ry="4.4"/><ellipse cx="17" cy="11.5" rx="3.4" ry="4.6"/>
<ellipse cx="24" cy="11.5" rx="3.4" ry="4.6"/><ellipse cx="30" cy="18" rx="3.4" ry="4.4"/>
<path d="M20.500 18.500c-4.600 0-9 5-9 9.200 0 3 2.400 4.300 4.800 4.300 1.700 0 2.700-.7 4.200-.7s2.500.7 4.200.7c2.400 0 4.800-1.300 4.800-4.300 0-4.200-4.400-9.200-9-9.200z"/></g></svg>
`;

const guide = `<section class="docs-guide" aria-label="Getting started">
<ol>
<li><h2>Get a key</h2>
<p>Whoever runs the service makes one: <code>node dist/main.js keys create --name you</code>. It is shown once.</p></li>
<li><h2>Authorize</h2>
<p>Press <b>Authorize</b> and paste the key alone; the page adds <code>Bearer</code>. It is kept for this tab, also over a
reload, and forgotten when the tab is closed.</p></li>
<li><h2>Page with Link</h2>
<p>A list answers one page. While there are more, its <code>Link</code> header holds the address of the next one,
<code>rel="next"</code>: a program follows it as it stands. Here, put what stands behind <code>cursor=</code> into the field
<code>cursor</code>.</p></li>
</ol>
</section>`;

function contactLink({ contact }: Product): string {
  return contact === undefined ? '' : `, <a href="${escapeHtml(contact)}">contact</a>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
