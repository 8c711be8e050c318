import { isDuplicateKey } from '../database/index.js';
import type { ApiKeyStore } from './api-key.store.js';
import { EVERYTHING } from './key-terms.js';

/** The same in every process, so that of several that start on one empty database the primary key lets one win. */
const PUBLIC_ID = 'firstkey';

/**
 * Makes a key that may do everything, where there is no key at all, not even an expired or revoked one. For
 * development: whoever starts the service for the first time needs a key to try it with.
 *
 * @returns the key's text, undefined where there was a key.
 */
export async function createFirstKey(store: ApiKeyStore): Promise<string | undefined> {
  if (!(await store.isEmpty())) return undefined;
  try {
    const terms = { client: 'first-key', scopes: [EVERYTHING], expiresAt: undefined };
    return (await store.create(terms, PUBLIC_ID)).text;
  } catch (error) {
    if (isDuplicateKey(error)) return undefined;
    throw error;
  }
}
