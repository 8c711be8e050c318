import { Stream } from 'node:stream';

/**
 * The JSON text of a value, as `JSON.stringify` writes it, but a `bigint` is written as an integer.
 *
 * @param indent spaces per level, for text that people read.
 * @throws {TypeError} if the value has no JSON text (undefined, a function, a symbol), or contains a Promise, a Map, a
 * Set, an Error or a stream.
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

/** TypeScript's library does not declare `JSON.rawJSON` yet. */
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => object };

/**
 * `JSON.stringify` would write `{}` or the internals of these objects. That is always a mistake: a missing `await` or
 * conversion, or an error that was returned instead of thrown.
 */
export const WITHOUT_TEXT = [Promise, Map, Set, Error, Stream, ReadableStream];

function exact(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return rawJSON(value.toString());
  if (typeof value === 'object' && WITHOUT_TEXT.some((type) => value instanceof type)) {
    throw new TypeError(`${(value as object).constructor.name} has no JSON text`);
  }
  return value;
}
