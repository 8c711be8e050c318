export { nextLink, Page, PageQuery, Paginated, sliceOf, type Slice } from './pagination.js';
