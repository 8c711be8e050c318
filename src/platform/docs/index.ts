export { mountDocs } from './mount-docs.js';
export { printedServers, servingServers, type DocumentServer } from './openapi/servers.js';
export { animalStore, type Product } from './product.js';
export { writeDocument, type DocumentSource, type DocumentTexts } from './write-document.js';
