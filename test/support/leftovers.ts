/**
 * Ends what a test file started and did not end because an assertion failed. Otherwise Jest would wait for it for ever.
 * `close-leftovers.ts` runs these functions after the file.
 */
export const leftovers = new Set<() => unknown>();
