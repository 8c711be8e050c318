import type { Sample } from './load.ts';
import type { ServiceName } from './services.ts';

/** A ratio of this service to a peer that is held: throughput at least, CPU time at most. */
export interface Goal {
  readonly of: keyof Sample;
  readonly bound: 'at least' | 'at most';
  readonly against: Readonly<Partial<Record<ServiceName, number>>>;
}

const list: Goal = { of: 'perSecond', bound: 'at least', against: { nest: 5, fastify: 2, bare: 1.5 } };
const cpu: Goal = { of: 'cpuMicros', bound: 'at most', against: { nest: 0.3, fastify: 0.8, bare: 1 } };

/** By scenario. */
export const goals: Readonly<Record<string, readonly Goal[]>> = {
  list20: [list, cpu],
  list100: [list, cpu],
  status: [list, cpu],
  deep: [cpu],
  get: [{ of: 'perSecond', bound: 'at least', against: { nest: 3, fastify: 1.2, bare: 1.1 } }, cpu],
  create: [{ of: 'perSecond', bound: 'at least', against: { nest: 5, fastify: 1.3, bare: 1.1 } }, cpu],
};

export function isMet({ bound }: Goal, wanted: number, ratio: number): boolean {
  return bound === 'at least' ? ratio >= wanted : ratio <= wanted;
}
