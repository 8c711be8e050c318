const QUOTE = 0x22;
const PLUS = 0x2b;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const UPPER_E = 0x45;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const LOWER_E = 0x65;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** An integer of at most this many characters is exact as a double. */
const EXACT_LENGTH = 15;

/** What `JSON.parse` does not say about a text. */
export interface Scan {
  /** Levels of arrays and objects at the deepest place. */
  readonly depth: number;
  /** Names in all objects together, duplicates counted. */
  readonly names: number;
  /** Whether every number is a short plain integer, so that its double is exact. */
  readonly plainNumbers: boolean;
}

/**
 * Walks over the bytes of a JSON text once, without recursion and without judging the grammar. UTF-8 has no byte below
 * 0x80 inside a longer character, so bytes are enough. On a text that is not JSON the numbers mean nothing.
 */
export function scan(bytes: Uint8Array): Scan {
  let depth = 0;
  let deepest = 0;
  let names = 0;
  let plainNumbers = true;
  let at = 0;
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) deepest = Math.max(deepest, ++depth);
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--;
    else if (byte === COLON) names++;
    else if (byte === MINUS || isDigit(byte)) {
      const end = endOfNumber(bytes, at);
      plainNumbers &&= isPlain(bytes, at, end);
      at = end - 1;
    }
    at++;
  }
  return { depth: deepest, names, plainNumbers };
}

/** The place of the closing quote. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** The place after the number. */
function endOfNumber(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && isOfNumber(bytes[at] ?? 0)) at++;
  return at;
}

/** A short integer without sign games: no fraction, no exponent, not `-0`, which would become a negative zero. */
function isPlain(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start > EXACT_LENGTH || (bytes[start] === MINUS && bytes[start + 1] === ZERO)) return false;
  for (let at = start + 1; at < end; at++) if (!isDigit(bytes[at] ?? 0)) return false;
  return true;
}

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= NINE;

const isOfNumber = (byte: number): boolean =>
  isDigit(byte) || byte === DOT || byte === LOWER_E || byte === UPPER_E || byte === PLUS || byte === MINUS;
