import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const random = (length: number): string => Array.from({ length }, () => BASE62[randomInt(BASE62.length)]).join('');

/** A key with a right checksum that nobody made: only the database knows that it is none. */
export function unknownKey(publicId = random(8)): string {
  const secret = random(32);
  let checksum = '';
  for (let rest = crc32(secret), place = 0; place < 6; place++, rest = Math.floor(rest / 62)) {
    checksum = `${BASE62[rest % 62]}${checksum}`;
  }
  return `as_test_${publicId}_${secret}${checksum}`;
}

/** Every kind of bad key in turn: malformed, a wrong checksum, an unknown id, and the id of `key` with another secret. */
export function wrongKey(key: string, turn: number): string {
  switch (turn % 4) {
    case 0:
      return random(55);
    case 1:
      return `${unknownKey().slice(0, -1)}-`;
    case 2:
      return unknownKey();
    default:
      return unknownKey(key.split('_')[2]);
  }
}
