import { ApiError, coreErrors } from './errors/index.js';
import { parseId } from './int64.js';
import { declareRoute } from './routing/index.js';
import { IntegerParameter, ruledParameter } from './validation/index.js';

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

/**
 * The query parameter for a cursor. It takes any text, since whatever is not a cursor is `invalid_cursor`, which
 * `PageQuery.after` tells; the schema describes those that are given out. A URL of 8 KiB has no room for one longer
 * than this beside the filters that it repeats.
 */
const CursorParameter = (): PropertyDecorator =>
  ruledParameter<string>(
    {
      name: 'cursor',
      problem: () => undefined,
      schema: { type: 'string', minLength: 1, maxLength: 4800, pattern: '^[A-Za-z0-9_-]+$' },
    },
    {
      description: 'Where the page begins: the cursor of the `next` Link of the page before, under the same filters.',
    },
  );

/** The query of a list. A feature's own extends it with its filters, each of which the cursor is bound to. */
export abstract class PageQuery {
  @IntegerParameter({ minimum: 1, maximum: 100, default: 20, description: 'How many items a page has at most.' })
  limit: number = 20;

  @CursorParameter()
  cursor?: string;

  /**
   * The id after which the page begins; 0n for the first page.
   *
   * @throws {ApiError} invalid_cursor when the cursor is not one that this list gave out under the same filters.
   */
  after(): bigint {
    if (this.cursor === undefined) return 0n;
    const id = decodeCursor(this.cursor, this.filters());
    if (id === undefined) throw new ApiError(coreErrors.invalidCursor);
    return id;
  }

  /** Makes the answer from a slice, converting each item to its wire shape. */
  page<T extends { readonly id: bigint }, W>(slice: Slice<T>, toWire: (item: T) => W): Page<W> {
    const last = slice.last ?? slice.items.at(-1);
    const next = slice.more && last ? encodeCursor(last.id, this.filters()) : undefined;
    return slice instanceof ReadSlice ? slice.page(toWire, next) : new Page(slice.items.map(toWire), next);
  }

  private filters(): string {
    const filters = new URLSearchParams();
    for (const [name, value] of Object.entries(this)) {
      if (name !== 'limit' && name !== 'cursor' && value !== undefined) filters.append(name, String(value));
    }
    filters.sort();
    return filters.toString();
  }
}

const VERSION = '1';

/**
 * Where a walk stands, opaque to clients: base64url of version, last id and the filters it was made under. It grants
 * nothing, so it is not signed (contract, "List").
 */
function encodeCursor(lastId: bigint, filters: string): string {
  return Buffer.from(`${VERSION}:${lastId}:${filters}`).toString('base64url');
}

/** The last id of a cursor made by `encodeCursor` under the same filters; undefined for anything else. */
function decodeCursor(cursor: string, filters: string): bigint | undefined {
  const [version, id] = Buffer.from(cursor, 'base64url').toString('utf8').split(':', 2);
  const lastId = version === VERSION && id !== undefined ? parseId(id) : undefined;
  // Node decodes much that is no base64url; only the very text that is given out is a cursor.
  return lastId !== undefined && encodeCursor(lastId, filters) === cursor ? lastId : undefined;
}
