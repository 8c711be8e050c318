import { base62, inventKey, publicIdOf } from './api-keys.js';

/**
 * One kind of bad key after another: malformed, a wrong checksum, an unknown id, and the id of `key` with another
 * secret.
 */
export function wrongKey(key: string, turn: number): string {
  switch (turn % 4) {
    case 0:
      return base62(55);
    case 1:
      return `${inventKey().slice(0, -1)}-`;
    case 2:
      return inventKey();
    default:
      return inventKey(publicIdOf(key));
  }
}
