import { declareRoute } from '../routing/index.js';
import type { Page } from './page.js';

/**
 * Marks a list that answers a `Page`, which the compiler makes sure of: a bare array, with `Link: …; rel="next"` while
 * there is more.
 */
export const Paginated =
  () =>
  <T extends (...args: never[]) => Page<unknown> | Promise<Page<unknown>>>(
    target: object,
    name: string | symbol,
    descriptor: TypedPropertyDescriptor<T>,
  ): void => {
    declareRoute({ paginated: true })(target, name, descriptor);
  };
