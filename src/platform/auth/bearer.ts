import { headerValues } from '../http/index.js';

/** The Authorization header of a request: a key, or why there is none to look at. */
export type Bearer = { readonly key: string } | 'missing' | 'repeated';

/** RFC 9110 §11.4: the scheme in any case, spaces, then the rest. */
const CREDENTIALS = /^bearer +(.+)$/i;

/**
 * Reads `Authorization: Bearer <key>` (RFC 6750 §2.1). A key anywhere else, such as in the query, is no key.
 *
 * @param rawHeaders names and values in turn, as Node received them.
 */
export function readBearer(rawHeaders: readonly string[]): Bearer {
  const [value = '', ...others] = headerValues(rawHeaders, 'authorization');
  if (others.length > 0) return 'repeated';
  const key = CREDENTIALS.exec(value)?.[1];
  return key === undefined ? 'missing' : { key };
}
