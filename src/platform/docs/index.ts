export { mountDocs } from './mount-docs.js';
export { documentTexts, type DocumentTexts } from './openapi/document-texts.js';
export { buildOpenApiDocument, type DocumentSource } from './openapi/openapi-document.js';
export { printedServers, servingServers, type DocumentServer } from './openapi/servers.js';
export { animalStore, type Product } from './product.js';
