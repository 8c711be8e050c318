export { documentSource } from './document-source.js';
export { mountDocs } from './mount-docs.js';
export { printedServers, servingServers } from './openapi/servers.js';
export { writeDocument, type DocumentTexts } from './write-document.js';
