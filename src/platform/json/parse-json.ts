import { parse as parseLossless } from 'lossless-json';
import { ApiError, coreErrors } from '../errors/index.js';
import { INT64_MAX, INT64_MIN } from '../int64.js';

const MAX_DEPTH = 32;

const QUOTE = 0x22;
const ZERO = 0x30;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Finds numbers that a double may represent inexactly: with a fraction, an exponent or 16 digits, or `-0`, which would
 * become a negative zero. It may also match inside a string.
 */
const INEXACT_NUMBER = /(?:^|[:,[\s])(?:-0|-?\d+[.eE]|-?\d{16})/;
const STRING = /"[^"\\]*(?:\\[^][^"\\]*)*"/g;

// `ignoreBOM` keeps the byte order mark in the text, so that it can be refused (RFC 8259 §8.1 allows that).
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses a JSON text strictly: UTF-8 without a byte order mark, no duplicate names in an object, at most 32 levels of
 * arrays and objects. Numbers are exact, see `parseNumberLiteral`. `__proto__` and `constructor` are ordinary names:
 * own properties, never prototypes.
 *
 * It uses `JSON.parse` and a scan, because lossless-json accepts duplicates with equal values, and recurses as deep as
 * the text. `JSON.parse` drops duplicates, so the text then has more names than the value. The reviver, which sees the
 * digits of a number, is slow, and runs only if a number needs it.
 *
 * @throws {ApiError} `invalid_json`. The message contains nothing of the text.
 */
export function parseJson(bytes: Uint8Array): unknown {
  const { depth, names } = scan(bytes);
  if (depth > MAX_DEPTH) throw invalid(`The request body is nested deeper than ${MAX_DEPTH} levels.`);
  const text = decode(bytes);
  const misread = ONE_ESCAPE_AS_NAME.test(text);
  const value = parse(text, misread);
  if (countNames(value) !== names) throw invalid('The request body has a duplicate key.');
  // lossless-json has already parsed the numbers exactly.
  return misread || !hasInexactNumber(text) ? value : JSON.parse(text, exactNumber);
}

/** Whether a number, outside of strings, needs the slow reviver. */
function hasInexactNumber(text: string): boolean {
  return INEXACT_NUMBER.test(text) && INEXACT_NUMBER.test(text.replace(STRING, '""'));
}

function decode(bytes: Uint8Array): string {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch (cause) {
    throw invalid('The request body is not valid UTF-8.', cause);
  }
  if (text.startsWith('\uFEFF')) throw invalid('The request body begins with a byte order mark.');
  return text;
}

/**
 * Finds a name that consists of one escape. V8 13.6 may read it as the name `\`: if an object of the same shape was
 * created before, V8 looks up the one character by the first byte of the escape.
 */
const ONE_ESCAPE_AS_NAME = /"\\(?:u[\da-f]{4}|[^u])"\s*:/i;

/** @param misread whether V8 may misread the text. */
function parse(text: string, misread: boolean): unknown {
  try {
    return misread ? parseLossless(text, undefined, parseNumberLiteral) : JSON.parse(text);
  } catch {
    // V8's message quotes the text, and causes are logged, so the error gets no cause.
    throw invalid('The request body is not valid JSON.');
  }
}

/** The number of names in all objects of a value. `MAX_DEPTH` bounds the recursion. */
function countNames(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countNames(item);
    return count;
  }
  for (const name of Object.keys(value)) count += 1 + countNames((value as Record<string, unknown>)[name]);
  return count;
}

/** TypeScript's library does not declare the third argument yet (ECMAScript "JSON.parse source text access"). */
function exactNumber(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' && context?.source !== undefined ? parseNumberLiteral(context.source) : value;
}

const invalid = (message: string, cause?: unknown): ApiError =>
  new ApiError(coreErrors.invalidJson, message, { cause });

/**
 * Measures what `JSON.parse` does not report: the depth of arrays and objects, and the number of names in all objects
 * with duplicates. Reads the bytes once, without recursion and without checking the grammar. A longer character of
 * UTF-8 contains no byte below 0x80, so bytes are enough. For a text that is not JSON the results have no meaning.
 */
function scan(bytes: Uint8Array): { depth: number; names: number } {
  let depth = 0;
  let deepest = 0;
  let names = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) deepest = Math.max(deepest, ++depth);
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--;
    else if (byte === COLON) names++;
  }
  return { depth: deepest, names };
}

/** The index of the closing quote. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** Digits of the largest int64. */
const INT64_DIGITS = 19;

/**
 * The exact value of a JSON number literal, or NaN:
 *
 * - an integer (also `1e2`, `1.0`, `-0`) within ±(2^53 − 1): a `number`;
 * - a greater integer within int64: a `bigint`;
 * - a fraction: the nearest `number`, unless that is an integer and the fraction would be lost;
 * - anything else: `NaN`, which no validator accepts.
 *
 * The time is linear in the length of the literal. `1e1000000000` is decided by its exponent, without arithmetic.
 *
 * @param source a literal of the JSON grammar; anything else is `NaN` too.
 */
export function parseNumberLiteral(source: string): number | bigint {
  const literal = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(source);
  if (literal === null) return NaN;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = literal;
  const digits = significantDigits(whole + fraction);
  if (digits.text === '') return 0;
  const power = Number(exponent) - fraction.length + digits.trailingZeros;
  return power < 0 ? nearestFraction(source) : integer(sign, digits.text, power);
}

/**
 * The digits without the zeros at both ends. It uses loops, because `/0+$/` takes quadratic time on zeros before a
 * final one.
 */
function significantDigits(digits: string): { text: string; trailingZeros: number } {
  let start = 0;
  while (digits.charCodeAt(start) === ZERO) start++;
  let end = digits.length;
  while (end > start && digits.charCodeAt(end - 1) === ZERO) end--;
  return { text: digits.slice(start, end), trailingZeros: digits.length - end };
}

function nearestFraction(source: string): number {
  const value = Number(source);
  return Number.isFinite(value) && !Number.isInteger(value) ? value : NaN;
}

function integer(sign: string, digits: string, power: number): number | bigint {
  if (digits.length + power > INT64_DIGITS) return NaN;
  const value = BigInt(sign + digits + '0'.repeat(power));
  if (value < INT64_MIN || value > INT64_MAX) return NaN;
  const double = Number(value);
  return Number.isSafeInteger(double) ? double : value;
}
