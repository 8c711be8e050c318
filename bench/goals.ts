import type { Sample } from './load.ts';
import type { PeerName } from './services.ts';

/** A ratio of this service to a peer that is held: throughput at least; slowest answers and CPU time at most. */
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

/** Those of a scenario at so many connections. */
export function goalsOf({ scenario, connections }: { scenario: string; connections: number }): readonly Goal[] {
  if (connections === 1) return few(0.95, 1.5, 0.95);
  if (connections < 32) return few(1.2, 3, 1);
  return connections === 32 ? (at32[scenario] ?? []) : most;
}

export const isAtLeast = (of: Goal['of']): boolean => LEAST.has(of);

export function isMet(of: Goal['of'], wanted: number, ratio: number): boolean {
  return isAtLeast(of) ? ratio >= wanted : ratio <= wanted;
}

/** CPU time is that of the service with its database, since one may move work to the other. */
export function valueOf(sample: Sample, of: Goal['of']): number {
  return of === 'bothMicros' ? sample.cpuMicros + sample.databaseMicros : sample[of];
}
