import { ruledParameter } from '../validation/index.js';

/**
 * The query parameter for a cursor. It takes any text, since whatever is not a cursor is `invalid_cursor`, which
 * `PageQuery.after` tells; the schema describes those that are given out. A URL of 8 KiB has no room for one longer
 * than this beside the filters that it repeats.
 */
export const CursorParameter = (): PropertyDecorator =>
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
