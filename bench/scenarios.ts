import type { RunningService } from './services.ts';

export interface Request {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One kind of request that is measured. */
export interface Scenario {
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** The requests of one client, sent in turn, over and over; `random` gives 0 to just under 1. */
  readonly requests: (service: RunningService, pets: number, random: () => number) => Request[];
  readonly writes?: boolean;
}

/** Requests that a client has before it begins anew. */
const DISTINCT = 500;

const get = (path: string): Request => ({ method: 'GET', path: `/v1/pets${path}` });
const many = (make: () => Request): Request[] => Array.from({ length: DISTINCT }, make);

/** Every connection asks for its own ids and pages, so that what is collapsed is what would be in earnest. */
export const scenarios: readonly Scenario[] = [
  { name: 'list20', title: 'list 20', requests: () => [get('')] },
  { name: 'list100', title: 'list 100', requests: () => [get('?limit=100')] },
  { name: 'status', title: 'list with status', requests: () => [get('?status=sold')] },
  {
    name: 'deep',
    title: 'pages deep in the table',
    requests: ({ program }, pets, random) =>
      many(() => get(`?cursor=${program.cursor(Math.floor((0.5 + random() * 0.49) * pets))}`)),
  },
  {
    name: 'get',
    title: 'get',
    requests: (_, pets, random) => many(() => get(`/${String(1 + Math.floor(random() * pets))}`)),
  },
  {
    name: 'create',
    title: 'create',
    requests: (_, __, random) =>
      many(() => ({
        method: 'POST',
        path: '/v1/pets',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ name: `Rex ${random().toString(36).slice(2, 10)}`, categoryId: 7, status: 'available' }),
      })),
    writes: true,
  },
];

/** What must not cost more the more pets there are; 3 of 100 pets are pending. */
export const scaleScenarios: readonly Scenario[] = [
  { name: 'first', title: 'first page', requests: () => [get('')] },
  {
    name: 'far',
    title: 'pages at the far end',
    requests: ({ program }, pets, random) =>
      many(() => get(`?cursor=${program.cursor(pets - 20 - Math.floor(random() * 500))}`)),
  },
  { name: 'rare', title: 'a rare status', requests: () => [get('?status=pending')] },
];

/** Random numbers from a seed, so that every service gets the same requests (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
