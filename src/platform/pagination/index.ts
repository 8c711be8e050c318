export { nextLink, Page, sliceOf, type Slice, Paginated } from './page.js';
export { PageQuery } from './page.query.js';
