/**
 * JSON text of a value, as `JSON.stringify` writes it, and a `bigint` as its plain digits.
 *
 * The engine writes numbers much faster than it asks for anything of a `bigint` (a replacer, `BigInt.prototype.toJSON`):
 * so it gets a copy in which each is a number, where that is exact, else its digits as they are.
 *
 * @param indent spaces a level, for a text that people read.
 * @throws {TypeError} when the value has no JSON text: undefined, a function, a symbol.
 */
export function stringifyJson(value: unknown, indent = 0): string {
  const text = JSON.stringify(withoutBigints(value), undefined, indent) as string | undefined;
  if (text === undefined) throw new TypeError(`A ${typeof value} has no JSON text`);
  return text;
}

/** TypeScript's library does not know `JSON.rawJSON` yet. */
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => object };

function withoutBigints(value: unknown): unknown {
  if (typeof value === 'bigint') return narrow(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutBigints);
  if ('toJSON' in value && typeof value.toJSON === 'function') return withoutBigints((value as Jsonable).toJSON());
  // V8 copies a whole object at once, and for..in asks an object that it has just copied for no list of its names.
  const copy: Record<string, unknown> = { ...value };
  for (const name in copy) {
    const member = copy[name];
    if (typeof member === 'bigint') copy[name] = narrow(member);
    else if (typeof member === 'object' && member !== null) copy[name] = withoutBigints(member);
  }
  return copy;
}

interface Jsonable {
  toJSON(): unknown;
}

function narrow(value: bigint): number | object {
  const double = Number(value);
  return Number.isSafeInteger(double) ? double : rawJSON(value.toString());
}
