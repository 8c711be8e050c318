export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

/** Characters of the longest int64, `-9223372036854775808`. The bound keeps a long text from costing anything. */
const MAX_LENGTH = 20;
const CANONICAL = /^(?:0|-?[1-9][0-9]*)$/;

/**
 * Reads an int64 in canonical decimal: ASCII digits, a minus at most, no plus, no leading zero, no `-0`, no padding.
 *
 * @returns undefined for any other text and beyond −2^63..2^63−1.
 */
export function parseInt64(text: string): bigint | undefined {
  if (text.length > MAX_LENGTH || !CANONICAL.test(text)) return undefined;
  const value = BigInt(text);
  return isInt64(value) ? value : undefined;
}

/** Reads an id as `parseInt64` does: 1..2^63−1, else undefined. */
export function parseId(text: string): bigint | undefined {
  const id = parseInt64(text);
  return id !== undefined && id > 0n ? id : undefined;
}

const isInt64 = (value: bigint): boolean => value >= INT64_MIN && value <= INT64_MAX;
