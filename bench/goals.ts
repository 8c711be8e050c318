import type { Sample } from './load.ts';
import type { PeerName } from './services.ts';

/**
 * Goals for a ratio of this service to its peers: a lower bound for throughput, an upper bound for p99 and CPU time.
 */
export interface Goal {
  readonly of: 'perSecond' | 'p99Ms' | 'bothMicros';
  readonly against: Readonly<Partial<Record<PeerName, number>>>;
}

const LEAST: ReadonlySet<Goal['of']> = new Set(['perSecond']);

const few = (fastify: number, nest: number, go: number): readonly Goal[] => [
  { of: 'perSecond', against: { fastify, nest, go } },
  { of: 'p99Ms', against: { fastify: 1.2 } },
];

const many = (fastify: number, nest: number, go: number): readonly Goal[] => [
  { of: 'perSecond', against: { fastify, nest, go } },
  { of: 'p99Ms', against: { fastify: 1 } },
  { of: 'bothMicros', against: { rust: 1 } },
];

const most: readonly Goal[] = [
  { of: 'perSecond', against: { fastify: 1.2, nest: 3, go: 1 } },
  { of: 'p99Ms', against: { fastify: 1 } },
];

const at32: Readonly<Record<string, readonly Goal[]>> = {
  list20: many(2.5, 6, 1.8),
  list100: many(2.5, 6, 1.8),
  status: many(2.5, 6, 1.8),
  deep: many(1.4, 3, 1),
  get: many(1.7, 3.5, 1),
  create: many(2, 6, 1),
};

/** The goals of a scenario at a number of connections. */
export function goalsOf({ scenario, connections }: { scenario: string; connections: number }): readonly Goal[] {
  if (connections === 1) return few(0.95, 1.5, 0.95);
  if (connections < 32) return few(1.2, 3, 1);
  return connections === 32 ? (at32[scenario] ?? []) : most;
}

export const isAtLeast = (of: Goal['of']): boolean => LEAST.has(of);

export function isMet(of: Goal['of'], wanted: number, ratio: number): boolean {
  return isAtLeast(of) ? ratio >= wanted : ratio <= wanted;
}

/** CPU time includes that of the database, since a service may move work to its database. */
export function valueOf(sample: Sample, of: Goal['of']): number {
  return of === 'bothMicros' ? sample.cpuMicros + sample.databaseMicros : sample[of];
}
