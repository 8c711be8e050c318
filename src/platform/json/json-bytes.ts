import { isOptimized } from '../optimizations.js';
import { jsonText, stringifyJson, WITHOUT_TEXT } from './stringify-json.js';

/**
 * UTF-8 as a string with one character for each byte. Node writes it to a socket as `latin1`, so a response that
 * several requests share is encoded once.
 */
export type Bytes = string & { readonly [brand]: true };
declare const brand: unique symbol;

/** Enough for a page of a hundred pets with the longest names, unless most of their characters must be escaped. */
const BUFFER_BYTES = 128 * 1024;
const buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
/** Whether the buffer is in use: a getter or a `toJSON` of a value may itself write another value. */
let isWriting = false;

/** Cached names of members. A service has fewer, unless its responses are dictionaries. */
const MOST_NAMES = 1000;
const LONGEST_NAME = 64;
const names = new Map<string, Bytes>();

const [QUOTE, BACKSLASH, COMMA, MINUS, ZERO] = [0x22, 0x5c, 0x2c, 0x2d, 0x30];
const [OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * The JSON text of a value in UTF-8, as `stringifyJson` writes it, but written directly as bytes: V8 is slow at text
 * that is not ASCII, and at a `bigint` (docs/decisions/0003-exact-json.md). A `toJSON` does not get the name of its
 * member.
 *
 * @throws {TypeError} if the value has no JSON text (undefined, a function, a symbol), if it contains a Promise, a Map,
 * a Set, an Error or a stream, or if it contains itself (or RangeError).
 */
export function jsonBytes(value: unknown): Bytes {
  if (isWriting || !isOptimized('json-writer')) return bytesOf(stringifyJson(value));
  isWriting = true;
  try {
    const end = write(value, 0);
    if (end > 0 && end <= BUFFER_BYTES) return buffer.toString('latin1', 0, end) as Bytes;
  } finally {
    isWriting = false;
  }
  return bytesOf(stringifyJson(value));
}

/** @param content text, or bytes that are kept unchanged. */
export function bytesOf(content: string | Uint8Array): Bytes {
  return Buffer.from(content as string).toString('latin1') as Bytes;
}

/** The text from which `bytesOf` made these bytes. */
export function textOf(bytes: Bytes | ''): string {
  return Buffer.from(bytes, 'latin1').toString();
}

/**
 * @returns the end of the written text. A value beyond the buffer if the text is too long. `at` if the value has no
 * JSON text and nothing is written.
 */
function write(value: unknown, at: number): number {
  if (at > BUFFER_BYTES) return at + 1;
  switch (typeof value) {
    case 'string':
      return writeString(value, at);
    case 'bigint': {
      const double = Number(value);
      return Number.isSafeInteger(double) ? writeInteger(double, at) : writeBytes(value.toString(), at);
    }
    case 'number':
      return Number.isSafeInteger(value) ? writeInteger(value, at) : writeBytes(JSON.stringify(value), at);
    case 'boolean':
      return writeBytes(value ? 'true' : 'false', at);
    case 'object':
      return value === null ? writeBytes('null', at) : writeStructure(value, at);
    default:
      return at;
  }
}

function writeStructure(value: object, at: number): number {
  if (!isOrdinary(value)) return writeBytes(bytesOf(jsonText(value) ?? ''), at);
  return Array.isArray(value) ? writeArray(value, at) : writeObject(value as Record<string, unknown>, at);
}

/** Whether the value is written item by item or member by member. */
function isOrdinary(value: object): boolean {
  if ('toJSON' in value) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || Array.isArray(value)) return true;
  return prototype === null ? !isRawJSON(value) : !SPECIAL.some((special) => value instanceof special);
}

/** TypeScript's library does not declare `JSON.isRawJSON` yet. */
const { isRawJSON } = JSON as unknown as { isRawJSON: (value: unknown) => boolean };

/** Wrapper objects of one value, and objects without JSON text. */
const SPECIAL = [Number, String, Boolean, BigInt, ...WITHOUT_TEXT];

function writeArray(items: readonly unknown[], at: number): number {
  buffer[at++] = OPENING_BRACKET;
  for (let index = 0; index < items.length; index++) {
    if (index > 0) buffer[at++] = COMMA;
    const end = write(items[index], at);
    at = end === at ? writeBytes('null', at) : end;
  }
  buffer[at++] = CLOSING_BRACKET;
  return at;
}

function writeObject(object: Readonly<Record<string, unknown>>, start: number): number {
  let at = start;
  buffer[at++] = OPENING_BRACE;
  for (const name in object) {
    // V8 inlines this call for most objects, but not `Object.hasOwn`.
    if (!Object.prototype.hasOwnProperty.call(object, name)) continue;
    const separated = at - start > 1 ? at + 1 : at;
    if (separated > at) buffer[at] = COMMA;
    const named = writeBytes(nameOf(name), separated);
    const end = write(object[name], named);
    if (end > named) at = end;
  }
  buffer[at++] = CLOSING_BRACE;
  return at;
}

/** `"name":` */
function nameOf(name: string): Bytes {
  let written = names.get(name);
  if (written === undefined) {
    written = bytesOf(`${JSON.stringify(name)}:`);
    if (names.size === MOST_NAMES) names.clear();
    if (name.length <= LONGEST_NAME) names.set(name, written);
  }
  return written;
}

function writeString(text: string, start: number): number {
  if (text.length > BUFFER_BYTES - start) return BUFFER_BYTES + 1;
  let at = start;
  buffer[at++] = QUOTE;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) {
      if (unit < 0x20 || unit === QUOTE || unit === BACKSLASH) return writeEscaped(text, start);
      buffer[at++] = unit;
    } else if (unit < 0x800) {
      buffer[at++] = 0xc0 | (unit >> 6);
      buffer[at++] = 0x80 | (unit & 0x3f);
    } else {
      if (unit >= 0xd800 && unit <= 0xdfff) return writeEscaped(text, start);
      buffer[at++] = 0xe0 | (unit >> 12);
      buffer[at++] = 0x80 | ((unit >> 6) & 0x3f);
      buffer[at++] = 0x80 | (unit & 0x3f);
    }
  }
  buffer[at++] = QUOTE;
  return at;
}

/** Writes text with characters that must be escaped, or with characters above U+FFFF. */
function writeEscaped(text: string, at: number): number {
  return writeBytes(bytesOf(JSON.stringify(text)), at);
}

function writeInteger(integer: number, at: number): number {
  let rest = integer;
  if (rest < 0) {
    buffer[at++] = MINUS;
    rest = -rest;
  }
  let end = at + 1;
  for (let power = 10; power <= rest; power *= 10) end++;
  for (let place = end - 1; place >= at; place--) {
    const tenth = Math.floor(rest / 10);
    buffer[place] = ZERO + (rest - tenth * 10);
    rest = tenth;
  }
  return end;
}

/** @param bytes ASCII, or `Bytes`. */
function writeBytes(bytes: string, at: number): number {
  if (bytes.length > BUFFER_BYTES - at) return BUFFER_BYTES + 1;
  for (let index = 0; index < bytes.length; index++) buffer[at++] = bytes.charCodeAt(index);
  return at;
}
