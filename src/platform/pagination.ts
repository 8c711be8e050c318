import { ApiError, coreErrors } from './errors/index.js';
import { parseId } from './int64.js';
import { declareRoute } from './routing/index.js';
import { IntegerParameter, ruledParameter } from './validation/index.js';

/** Part of a list: the result of a repository for one page. */
export interface Slice<T> {
  readonly items: readonly T[];
  /** Whether at least one more item follows. */
  readonly more: boolean;
  /** The item after which the next page begins. Default: the last one of `items`. */
  readonly last?: T;
}

/**
 * Creates a slice from rows, of which the repository has read one more than the limit.
 *
 * @param limit the greatest number of items of the page; at least 1.
 */
export function sliceOf<T>(rows: readonly T[], limit: number): Slice<T> {
  return rows.length > limit ? new ReadSlice(rows.slice(0, limit), true) : new ReadSlice(rows, false);
}

/** A slice that keeps the page created from it. Simultaneous requests for the same page share the slice. */
class ReadSlice<T> implements Slice<T> {
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

/** The return value of a handler: the body is a plain array of the items, and the Link header has the next page. */
export class Page<T> {
  constructor(
    readonly items: readonly T[],
    /** The cursor of the next page; undefined on the last page. */
    readonly nextCursor: string | undefined,
  ) {}
}

/** The Link value for the next page (RFC 8288): the parameters of the request, with another cursor. */
export function nextLink(url: string, query: URLSearchParams, cursor: string): string {
  const parameters = new URLSearchParams(query);
  parameters.delete('cursor');
  parameters.append('cursor', cursor);
  return `<${url}?${parameters.toString()}>; rel="next"`;
}

/**
 * Marks the handler of a list. The compiler checks that it returns a `Page`. The response is a plain array. If more
 * items follow, it has a `Link` with `rel="next"`.
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
 * The query parameter for a cursor. It accepts any text, because `PageQuery.after` reports an invalid cursor as
 * `invalid_cursor`. The schema describes valid cursors. A URL of 8 KiB cannot hold a longer cursor together with the
 * filters that the cursor repeats.
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

/** The query of a list. A feature extends it with its filters, and a cursor is valid only with the same filters. */
export abstract class PageQuery {
  @IntegerParameter({ minimum: 1, maximum: 100, default: 20, description: 'How many items a page has at most.' })
  limit: number = 20;

  @CursorParameter()
  cursor?: string;

  /**
   * The id after which the page begins; 0n for the first page.
   *
   * @throws {ApiError} invalid_cursor if this list did not return the cursor with the same filters.
   */
  after(): bigint {
    if (this.cursor === undefined) return 0n;
    const id = decodeCursor(this.cursor, this.filters());
    if (id === undefined) throw new ApiError(coreErrors.invalidCursor);
    return id;
  }

  /** Creates the page from a slice, and converts each item to its representation in the response. */
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
 * The position in a list as a cursor, which is opaque to clients: base64url of the version, the last id and the
 * filters. It grants no access, so it is not signed (contract, "List").
 */
function encodeCursor(lastId: bigint, filters: string): string {
  return Buffer.from(`${VERSION}:${lastId}:${filters}`).toString('base64url');
}

/** The last id of a cursor from `encodeCursor` with the same filters; undefined for anything else. */
function decodeCursor(cursor: string, filters: string): bigint | undefined {
  const [version, id] = Buffer.from(cursor, 'base64url').toString('utf8').split(':', 2);
  const lastId = version === VERSION && id !== undefined ? parseId(id) : undefined;
  // Node also decodes text that is not valid base64url. Only the exact text that `encodeCursor` returns is accepted.
  return lastId !== undefined && encodeCursor(lastId, filters) === cursor ? lastId : undefined;
}
