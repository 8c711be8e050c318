import { headerValues } from '../http/index.js';

/** The Authorization header of a request: a key, or why there is none to look at. */
export type Bearer = { readonly key: string } | 'missing' | 'repeated';

const SCHEME = 'bearer';
const SPACE = 0x20;

/**
 * Reads `Authorization: Bearer <key>` (RFC 6750 §2.1). A key anywhere else, such as in the query, is no key.
 *
 * @param rawHeaders names and values in turn, as Node received them.
 */
export function readBearer(rawHeaders: readonly string[]): Bearer {
  const [value = '', ...others] = headerValues(rawHeaders, 'authorization');
  if (others.length > 0) return 'repeated';
  const key = credentialsOf(value);
  return key === '' ? 'missing' : { key };
}

/** RFC 9110 §11.4: the scheme in any case, spaces, then the rest. Empty where it is another scheme. */
function credentialsOf(value: string): string {
  let start = SCHEME.length;
  while (value.charCodeAt(start) === SPACE) start += 1;
  const isBearer = start > SCHEME.length && value.slice(0, SCHEME.length).toLowerCase() === SCHEME;
  return isBearer ? value.slice(start) : '';
}
