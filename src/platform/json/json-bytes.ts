import { stringifyJson } from './stringify-json.js';

/** Room for a page of a hundred items with the longest names. What is longer is written in another way. */
const ROOM = 128 * 1024;
const room = Buffer.allocUnsafeSlow(ROOM);

/** Names of members that are kept ready; more than a service has, unless what it answers are dictionaries. */
const MOST_NAMES = 1000;
const names = new Map<string, string>();

const [QUOTE, BACKSLASH, COMMA, MINUS, ZERO] = [0x22, 0x5c, 0x2c, 0x2d, 0x30];
const [OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * The UTF-8 of the JSON text of a value, with a character for each byte: Node copies it to a socket as `latin1`, so what
 * many share is encoded once.
 *
 * It is what `stringifyJson` makes, written at once into bytes: text that is not ASCII is a slow thing to the engine, and
 * so is a `bigint` (`npm run bench`, "pages deep in the table").
 *
 * @throws {TypeError} when the value has no JSON text: undefined, a function, a symbol.
 */
export function jsonBytes(value: unknown): string {
  const end = write(value, 0);
  // Behind the end of the room nothing was kept.
  return end === 0 || end > ROOM ? bytesOf(stringifyJson(value)) : room.toString('latin1', 0, end);
}

/** The UTF-8 of a text, with a character for each byte. */
export function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** The text of `bytesOf`. */
export function textOf(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString();
}

/** @returns where it ends; `at`, with nothing written, for what has no JSON text. */
function write(value: unknown, at: number): number {
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
  if (Array.isArray(value)) return writeArray(value, at);
  if ('toJSON' in value && typeof value.toJSON === 'function') return write((value as Jsonable).toJSON(), at);
  return writeObject(value as Record<string, unknown>, at);
}

interface Jsonable {
  toJSON(): unknown;
}

function writeArray(items: readonly unknown[], at: number): number {
  room[at++] = OPENING_BRACKET;
  for (let index = 0; index < items.length; index++) {
    if (index > 0) room[at++] = COMMA;
    const end = write(items[index], at);
    at = end === at ? writeBytes('null', at) : end;
  }
  room[at++] = CLOSING_BRACKET;
  return at;
}

function writeObject(object: Readonly<Record<string, unknown>>, start: number): number {
  let at = start;
  room[at++] = OPENING_BRACE;
  for (const name in object) {
    // V8 sees that this holds of most, and asks for nothing; `Object.hasOwn` it would ask each time.
    if (!Object.prototype.hasOwnProperty.call(object, name)) continue;
    const separated = at - start > 1 ? at + 1 : at;
    if (separated > at) room[at] = COMMA;
    const named = writeBytes(nameOf(name), separated);
    const end = write(object[name], named);
    if (end > named) at = end;
  }
  room[at++] = CLOSING_BRACE;
  return at;
}

/** The bytes of `"name":`. */
function nameOf(name: string): string {
  let written = names.get(name);
  if (written === undefined) {
    if (names.size === MOST_NAMES) names.clear();
    written = bytesOf(`${JSON.stringify(name)}:`);
    names.set(name, written);
  }
  return written;
}

function writeString(text: string, start: number): number {
  let at = start;
  room[at++] = QUOTE;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) {
      if (unit < 0x20 || unit === QUOTE || unit === BACKSLASH) return writeEscaped(text, start);
      room[at++] = unit;
    } else if (unit < 0x800) {
      room[at++] = 0xc0 | (unit >> 6);
      room[at++] = 0x80 | (unit & 0x3f);
    } else {
      if (unit >= 0xd800 && unit <= 0xdfff) return writeEscaped(text, start);
      room[at++] = 0xe0 | (unit >> 12);
      room[at++] = 0x80 | ((unit >> 6) & 0x3f);
      room[at++] = 0x80 | (unit & 0x3f);
    }
  }
  room[at++] = QUOTE;
  return at;
}

/** What has something to escape, or characters beyond U+FFFF. */
function writeEscaped(text: string, at: number): number {
  return writeBytes(bytesOf(JSON.stringify(text)), at);
}

function writeInteger(integer: number, at: number): number {
  let rest = integer;
  if (rest < 0) {
    room[at++] = MINUS;
    rest = -rest;
  }
  let end = at + 1;
  for (let power = 10; power <= rest; power *= 10) end++;
  for (let place = end - 1; place >= at; place--) {
    const tenth = Math.floor(rest / 10);
    room[place] = ZERO + (rest - tenth * 10);
    rest = tenth;
  }
  return end;
}

function writeBytes(bytes: string, at: number): number {
  for (let index = 0; index < bytes.length; index++) room[at++] = bytes.charCodeAt(index);
  return at;
}
