import { INT64_FIELDS } from './api.js';

/**
 * Additions to `JSON.parse` and `JSON` since Node.js 21, Chrome 114, Firefox 135 and Safari 18.4. TypeScript does not
 * declare them yet.
 */
interface Context {
  readonly source?: string;
}
const { rawJSON } = JSON as unknown as { readonly rawJSON?: (text: string) => unknown };

/**
 * Parses JSON. Its int64 fields become exact `bigint` values.
 *
 * @throws {SyntaxError} if the text is not JSON.
 * @throws {RangeError} if this runtime is too old to keep a number beyond 2^53 exact.
 */
export function parseExact(text: string): unknown {
  return JSON.parse(text, (name, value: unknown, context?: Context) => {
    if (typeof value !== 'number' || !INT64_FIELDS.has(name)) return value;
    if (context?.source === undefined && !Number.isSafeInteger(value)) throw tooOld();
    return BigInt(context?.source ?? value);
  });
}

/**
 * Writes JSON. A `bigint` becomes a number with all its digits.
 *
 * @throws {RangeError} if this runtime is too old to write a number beyond 2^53 exactly.
 */
export function stringifyExact(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) => {
    if (typeof part !== 'bigint') return part;
    if (rawJSON !== undefined) return rawJSON(String(part));
    if (!Number.isSafeInteger(Number(part))) throw tooOld();
    return Number(part);
  });
}

function tooOld(): RangeError {
  return new RangeError(
    'This runtime rounds integers beyond 2^53: it needs JSON.rawJSON and the source text in JSON.parse.',
  );
}
