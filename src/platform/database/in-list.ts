import type { SqlValue } from './database.js';

/** What an `IN (…)` is asked with. */
export interface InList {
  /** The placeholders, without the brackets. */
  readonly marks: string;
  readonly values: SqlValue[];
}

const marksOf = new Map<number, string>();

/**
 * The placeholders and values of an `IN (…)`. The last value comes again until there are as many as a power of two: of up to
 * 64 ids a server keeps seven prepared statements for each connection, not 64.
 *
 * @param values at least one.
 */
export function inList(values: readonly SqlValue[]): InList {
  const size = 2 ** Math.ceil(Math.log2(values.length));
  let marks = marksOf.get(size);
  if (marks === undefined) marksOf.set(size, (marks = Array.from({ length: size }, () => '?').join(', ')));
  const padded = [...values];
  while (padded.length < size) padded.push(values.at(-1) as SqlValue);
  return { marks, values: padded };
}
