/**
 * Optimizations that do not change results. OPTIMIZATIONS_OFF disables them one by one. Their effect is documented in
 * docs/decisions/0019-request-path.md.
 */
export const OPTIMIZATIONS = ['batching', 'json-writer', 'plain-handlers', 'shared-pages', 'turns'] as const;

type Optimization = (typeof OPTIMIZATIONS)[number];

const off = new Set<string>();

export function isOptimized(name: Optimization): boolean {
  return !off.has(name);
}

/**
 * Must be called before the first request. It applies to the whole process, because code without injection reads it
 * too: a later application overrides an earlier one.
 */
export function turnOptimizationsOff(names: readonly string[]): void {
  off.clear();
  for (const name of names) off.add(name);
}
