/**
 * JSON text of a value, as `JSON.stringify` writes it, and a `bigint` as its plain digits.
 *
 * @param indent spaces a level, for a text that people read.
 * @throws {TypeError} when the value has no JSON text: undefined, a function, a symbol.
 */
export function stringifyJson(value: unknown, indent = 0): string {
  const text = jsonText(value, indent);
  if (text === undefined) throw new TypeError(`A ${typeof value} has no JSON text`);
  return text;
}

/** As `stringifyJson`; undefined for what has no JSON text. */
export function jsonText(value: unknown, indent = 0): string | undefined {
  return JSON.stringify(value, exact, indent);
}

/** TypeScript's library does not know `JSON.rawJSON` yet. */
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => object };

const exact = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? rawJSON(value.toString()) : value);
