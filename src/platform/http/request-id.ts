import { randomBytes } from 'node:crypto';

/** Bytes of randomness that are fetched at once, rather than those of each id by a call of its own. */
const POOL_BYTES = 8192;
/** Hex digits of randomness in an id. */
const DIGITS = 19;

let pool = '';
let used = 0;
let millisecond = -1;
/** The id's text up to its random part, the same for all of one millisecond. */
let beginning = '';

/** A new UUIDv7 (RFC 9562 §5.7): 48 bits of milliseconds, 74 random ones. */
export function newRequestId(): string {
  if (used + DIGITS > pool.length) {
    pool = randomBytes(POOL_BYTES).toString('hex');
    used = 0;
  }
  const now = Date.now();
  if (now !== millisecond) {
    const time = now.toString(16).padStart(12, '0');
    beginning = `${time.slice(0, 8)}-${time.slice(8)}-7`;
    millisecond = now;
  }
  const variant = '89ab'.charAt(pool.charCodeAt(used) & 3);
  const random = pool.slice(used + 1, (used += DIGITS));
  return `${beginning}${random.slice(0, 3)}-${variant}${random.slice(3, 6)}-${random.slice(6)}`;
}
