/**
 * What is done in a faster way, with the same outcome as in the plain way. OPTIMIZATIONS_OFF turns each off; what it is worth
 * stands in docs/decisions/0019-request-path.md.
 */
export const OPTIMIZATIONS = ['batching', 'json-writer', 'plain-handlers', 'shared-pages', 'turns'] as const;

type Optimization = (typeof OPTIMIZATIONS)[number];

const off = new Set<string>();

export function isOptimized(name: Optimization): boolean {
  return !off.has(name);
}

/**
 * For the whole process, since code without injection asks too: a later application changes an earlier one. To be called before
 * the first request.
 */
export function turnOptimizationsOff(names: readonly string[]): void {
  off.clear();
  for (const name of names) off.add(name);
}
