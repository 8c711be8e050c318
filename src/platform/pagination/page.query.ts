import { ApiError, coreErrors } from '../errors/index.js';
import { IntegerParameter } from '../validation/index.js';
import { CursorParameter } from './cursor.parameter.js';
import { decodeCursor, encodeCursor } from './cursor.js';
import { Page, ReadSlice, type Slice } from './page.js';

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
