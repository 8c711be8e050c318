export { mountDocs, writeDocument } from './docs-router.js';
export { documentSource, printedServers, servingServers } from './document-source.js';
export type { DocumentTexts } from './openapi/openapi-document.js';
