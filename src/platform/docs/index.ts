export { documentSource, writeDocument, type DocumentTexts } from './document-source.js';
export { mountDocs } from './docs-router.js';
export { printedServers, servingServers } from './product.js';
