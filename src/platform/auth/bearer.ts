/** The Authorization header of a request: a key, or why there is none to look at. */
export type Bearer = { readonly key: string } | 'missing' | 'repeated';

const NAME = 'authorization';
/** RFC 9110 §11.4: the scheme in any case, spaces, then the rest. */
const CREDENTIALS = /^bearer +(.+)$/i;

/**
 * Reads `Authorization: Bearer <key>` (RFC 6750 §2.1). A key anywhere else, such as in the query, is no key.
 *
 * @param rawHeaders names and values in turn, as Node received them: `headers` has dropped a second Authorization.
 */
export function readBearer(rawHeaders: readonly string[]): Bearer {
  let value: string | undefined;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length !== NAME.length || name.toLowerCase() !== NAME) continue;
    if (value !== undefined) return 'repeated';
    value = rawHeaders[i + 1];
  }
  const key = value === undefined ? undefined : CREDENTIALS.exec(value)?.[1];
  return key === undefined ? 'missing' : { key };
}
