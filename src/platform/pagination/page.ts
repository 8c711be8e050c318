import { declareRoute } from '../routing/index.js';

/** Part of a list: what a repository returns for one page. */
export interface Slice<T> {
  readonly items: readonly T[];
  /** Whether at least one more item follows. */
  readonly more: boolean;
  /** The item behind which the next page begins, where it is not the last of the items. */
  readonly last?: T;
}

/**
 * Makes a slice of rows of which one more than asked was read.
 *
 * @param limit how many items the page may have; at least 1.
 */
export function sliceOf<T>(rows: readonly T[], limit: number): Slice<T> {
  return rows.length > limit ? new ReadSlice(rows.slice(0, limit), true) : new ReadSlice(rows, false);
}

/** A slice that remembers the page that was made of it: who asks for the same page at the same time shares its slice. */
export class ReadSlice<T> implements Slice<T> {
  private made:
    { readonly toWire: unknown; readonly cursor: string | undefined; readonly page: Page<unknown> } | undefined;

  constructor(
    readonly items: readonly T[],
    readonly more: boolean,
  ) {}

  page<W>(toWire: (item: T) => W, cursor: string | undefined): Page<W> {
    if (this.made?.toWire !== toWire || this.made.cursor !== cursor) {
      this.made = { toWire, cursor, page: new Page(this.items.map(toWire), cursor) };
    }
    return this.made.page as Page<W>;
  }
}

/** A page as a handler answers it: the body is the bare array of items, the next page goes into the Link header. */
export class Page<T> {
  constructor(
    readonly items: readonly T[],
    /** The cursor of the next page; undefined on the last one. */
    readonly nextCursor: string | undefined,
  ) {}
}

/** The Link value for a next page (RFC 8288): the request's own parameters with another cursor. */
export function nextLink(url: string, query: URLSearchParams, cursor: string): string {
  const parameters = new URLSearchParams(query);
  parameters.delete('cursor');
  parameters.append('cursor', cursor);
  return `<${url}?${parameters.toString()}>; rel="next"`;
}

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
