import type { Product } from './document-source.js';

/**
 * The Content-Security-Policy of the page: it may load files and call the API of its own host only. Only the page gets
 * this policy, so no other response is loosened. `upgrade-insecure-requests` is absent, because the page must also work
 * over plain HTTP inside a network.
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

/** The page at `/docs`. Every address is relative to the page, so that a proxy may add a path prefix. */
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

/** A paw: the logo and the icon of the page. */
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

/** The page's own style, in addition to Swagger UI's. */
export const docsStyle = `
html { box-sizing: border-box; overflow-y: scroll; }
*, *::before, *::after { box-sizing: inherit; }
body { margin: 0; background: #fafafa; color: #3b4151; font-family: sans-serif; line-height: 1.5; }
.docs-header { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 14px; background: #1f3a2d; color: #fff;
  padding: 12px max(20px, calc(50% - 710px)); }
.docs-header h1 { margin: 0; font-size: 24px; }
.docs-header p { margin: 0 0 0 auto; color: #d5e3da; font-size: 14px; }
.docs-header a { color: inherit; }
.docs-guide { padding: 20px max(20px, calc(50% - 710px)) 40px; }
.docs-guide ol { display: grid; grid-template-columns: repeat(auto-fit, minmax(260px, 1fr)); gap: 16px; margin: 0;
  padding: 0; list-style: none; counter-reset: step; }
.docs-guide li { padding: 14px 18px; background: #fff; border: 1px solid #d8dde3; border-radius: 6px;
  counter-increment: step; }
.docs-guide h2 { margin: 0 0 4px; font-size: 16px; }
.docs-guide h2::before { content: counter(step) ". "; color: #2f6b4a; }
.docs-guide p { margin: 0; font-size: 14px; }
.docs-guide code { padding: 1px 4px; background: #eef1f4; border-radius: 3px; font-size: 13px; overflow-wrap: anywhere; }
.swagger-ui .info { margin: 24px 0; }
.swagger-ui .scheme-container { margin: 0; padding: 14px 0; box-shadow: none; border-bottom: 1px solid #d8dde3; }
.swagger-ui .docs-failure button { padding: 8px 0; border: 0; background: none; color: inherit; font: inherit; text-align: left;
  cursor: pointer; }
.swagger-ui .docs-failure button::before { content: "\\25b8  "; }
.swagger-ui .docs-failure td { padding: 0 10px 0 0; vertical-align: middle; }
.swagger-ui .response-col_links > i { display: none; }
.swagger-ui .responses-table:not(:has(.operation-link, .response-col_links pre)) .response-col_links { display: none; }
.swagger-ui .highlight-code > pre, .swagger-ui .curl-command pre { padding-bottom: 52px !important; }
.swagger-ui .btn.cancel, html.dark-mode .swagger-ui .opblock .opblock-section-header .btn.cancel { border-color: #8a93a0;
  color: inherit; font-weight: 400; }
.swagger-ui .parameter__extension { color: inherit; }
.swagger-ui .markdown code { color: inherit; font-weight: 400; }
.swagger-ui .docs-key label { display: block; margin: 8px 0 4px; font-weight: 600; }
.swagger-ui .docs-key input { width: 100%; max-width: none; }
.swagger-ui .docs-key p { margin: 4px 0 0; font-size: 13px; }
.swagger-ui .opblock.opblock-deprecated { opacity: 1; }
.swagger-ui .opblock.opblock-deprecated .opblock-summary-method { background: #6b7280; }
.swagger-ui .docs-items { text-transform: none; }
.swagger-ui .docs-headers { margin: 10px 0; font-size: 12px; }
.swagger-ui .docs-headers summary { cursor: pointer; }
.swagger-ui .docs-headers .headers__title { display: none; }
.swagger-ui .docs-headers .headers td { color: inherit; }
.swagger-ui :focus-visible { outline: 2px solid currentColor !important; outline-offset: 2px; }
@media (prefers-color-scheme: dark) {
  body { background: #1c2022; color: #e4e6e6; }
  .docs-guide li { background: #2a2e30; border-color: #545d61; }
  .docs-guide h2::before { color: #7fce9f; }
  .docs-guide code { background: #080a0b; }
  html.dark-mode .swagger-ui .opblock.opblock-deprecated .opblock-summary-method { background: #a3a9b2; }
  .swagger-ui .scheme-container { border-color: #545d61; }
}
@media not (prefers-color-scheme: dark) {
  .swagger-ui .info a { color: #1b65b8; }
  .swagger-ui .btn.authorize { border-color: #1a7f4e; color: #1a7f4e; }
  .swagger-ui .btn.authorize svg { fill: #1a7f4e; }
  .swagger-ui .btn.execute { background-color: #1b65b8; border-color: #1b65b8; }
  .swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1b65b8; }
  .swagger-ui .opblock.opblock-post .opblock-summary-method { background: #1a7f4e; }
  .swagger-ui .opblock.opblock-put .opblock-summary-method { background: #8a5200; }
  .swagger-ui .opblock.opblock-patch .opblock-summary-method { background: #0b6e5b; }
  .swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #b3261e; }
  .swagger-ui .parameter__in, .swagger-ui .json-schema-2020-12-expand-deep-button { color: #5b6270; }
  .swagger-ui .download-contents { background: #5b6270; }
}
@media (max-width: 640px) {
  .docs-header p { margin-left: 0; }
  .swagger-ui .responses-table :is(tbody, tr, td), .swagger-ui .responses-table { display: block; width: auto; }
  .swagger-ui .responses-table thead { display: none; }
  .swagger-ui .response-col_links pre { white-space: pre-wrap; overflow-wrap: anywhere; }
}
`;
