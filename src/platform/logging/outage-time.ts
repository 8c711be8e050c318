/**
 * When an outage began, which every line about it has, and how long it has lasted.
 *
 * @param startedAt monotonic, as `performance.now()` gives it.
 */
export function outageTime(startedAt: number): { readonly since: string; readonly seconds: number } {
  const elapsedMs = performance.now() - startedAt;
  return { since: new Date(Date.now() - elapsedMs).toISOString(), seconds: Math.round(elapsedMs) / 1000 };
}
