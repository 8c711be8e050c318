export { nextLink, Page, sliceOf, type Slice } from './page.js';
export { PageQuery } from './page.query.js';
export { Paginated } from './paginated.decorator.js';
