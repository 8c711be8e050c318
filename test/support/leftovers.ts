/**
 * Ends what a test file started and did not end, since an assertion failed before: each would keep Jest, which waits for
 * nothing else, from ending. `close-leftovers.ts` runs them after the file.
 */
export const leftovers = new Set<() => unknown>();
