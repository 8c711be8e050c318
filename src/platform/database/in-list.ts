/** What an `IN (…)` is asked with. */
export interface InList {
  /** The placeholders, without the brackets. */
  readonly marks: string;
  readonly values: unknown[];
}

/**
 * The placeholders and values of an `IN (…)`. The last value comes again until there are as many as a power of two: of up to
 * 64 ids a server keeps seven prepared statements for each connection, not 64.
 *
 * @param values at least one.
 */
export function inList(values: readonly unknown[]): InList {
  const size = 2 ** Math.ceil(Math.log2(values.length));
  const padded = [...values, ...Array.from({ length: size - values.length }, () => values.at(-1))];
  return { marks: padded.map(() => '?').join(', '), values: padded };
}
