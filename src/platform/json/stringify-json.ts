import { Stream } from 'node:stream';

/**
 * JSON text of a value, as `JSON.stringify` writes it, and a `bigint` as its plain digits.
 *
 * @param indent spaces a level, for a text that people read.
 * @throws {TypeError} when the value has no JSON text: undefined, a function, a symbol; when it holds a Promise, a Map, a
 * Set, an Error, a stream.
 */
export function stringifyJson(value: unknown, indent = 0): string {
  const text = jsonText(value, indent);
  if (text === undefined) throw new TypeError(`A ${typeof value} has no JSON text`);
  return text;
}

/** Like `stringifyJson`, but returns undefined for a value that has no JSON text. */
export function jsonText(value: unknown, indent = 0): string | undefined {
  return JSON.stringify(value, exact, indent);
}

/** TypeScript's library does not know `JSON.rawJSON` yet. */
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => object };

/**
 * `JSON.stringify` writes `{}` for them, or their insides. No one means that: an `await` is missing, or a conversion, or it
 * was to be thrown.
 */
export const WITHOUT_TEXT = [Promise, Map, Set, Error, Stream, ReadableStream];

function exact(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return rawJSON(value.toString());
  if (typeof value === 'object' && WITHOUT_TEXT.some((type) => value instanceof type)) {
    throw new TypeError(`${(value as object).constructor.name} has no JSON text`);
  }
  return value;
}
