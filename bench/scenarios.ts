import type { Program, RunningService } from './services.ts';

export interface Request {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One kind of request that is measured. */
export interface Scenario {
  readonly name: string;
  /** The name in tables. */
  readonly title: string;
  /** The requests of one client, repeated in this order. `random` returns numbers from 0 to just under 1. */
  readonly requests: (service: RunningService, pets: number, random: () => number) => Request[];
  /** The numbers of connections. Each number is a separate measurement. */
  readonly connections: readonly number[];
  readonly writes?: boolean;
  /** The share of requests that must be refused. Default: 0. */
  readonly refused?: number;
}

/** A scenario with one number of connections. */
export interface Case extends Omit<Scenario, 'connections'> {
  readonly scenario: string;
  readonly connections: number;
}

/** @param connections the numbers to keep. Default: all. */
export function casesOf(all: readonly Scenario[], connections?: readonly number[]): readonly Case[] {
  return all.flatMap((scenario) =>
    scenario.connections
      .filter((number) => connections?.includes(number) ?? true)
      .map((number) => ({
        ...scenario,
        scenario: scenario.name,
        name: `${scenario.name}@${String(number)}`,
        title: `${scenario.title}, ${String(number)}`,
        connections: number,
      })),
  );
}

/** How many different requests a client sends before it repeats them. */
const DISTINCT = 500;

/** From one client that waits for each answer, to more clients than the database has connections for. */
export const CONNECTIONS = [1, 8, 32, 128] as const;
const MANY = [32] as const;

const get = (path: string): Request => ({ method: 'GET', path: `/v1/pets${path}` });
const many = (make: () => Request): Request[] => Array.from({ length: DISTINCT }, make);

/** Every connection asks for its own ids and pages, so that as many requests as in production are combined. */
export const scenarios: readonly Scenario[] = [
  { name: 'list20', title: 'list 20', requests: () => [get('')], connections: CONNECTIONS },
  { name: 'list100', title: 'list 100', requests: () => [get('?limit=100')], connections: MANY },
  { name: 'status', title: 'list with status', requests: () => [get('?status=sold')], connections: MANY },
  {
    name: 'deep',
    title: 'pages deep in the table',
    requests: ({ program }, pets, random) => many(() => get(`?cursor=${program.cursor(deepIn(pets, random))}`)),
    connections: CONNECTIONS,
  },
  {
    name: 'get',
    title: 'get',
    requests: (_, pets, random) => many(() => getOne(pets, random)),
    connections: CONNECTIONS,
  },
  {
    name: 'create',
    title: 'create',
    requests: (_, __, random) => many(() => create(random)),
    connections: CONNECTIONS,
    writes: true,
  },
  {
    name: 'mixed',
    title: 'a day: lists, gets, creates',
    requests: ({ program }, pets, random) => many(() => ofADay(program.cursor, pets, random)),
    connections: [16],
    writes: true,
    refused: 0.01,
  },
];

const deepIn = (pets: number, random: () => number): number => Math.floor((0.5 + random() * 0.49) * pets);

const getOne = (pets: number, random: () => number): Request => get(`/${String(1 + Math.floor(random() * pets))}`);

const create = (random: () => number): Request => ({
  method: 'POST',
  path: '/v1/pets',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ name: `Rex ${random().toString(36).slice(2, 10)}`, categoryId: 7, status: 'available' }),
});

const FILTERS = ['', 'available', 'sold', 'pending'] as const;

/** 1 % is refused. Of the rest, 80 % are lists (half of them the first page), 15 % gets and 5 % creates. */
function ofADay(cursor: Program['cursor'], pets: number, random: () => number): Request {
  const kind = random();
  if (kind < 0.01) return get('?limit=0');
  if (kind < 0.06) return create(random);
  if (kind < 0.21) return getOne(pets, random);
  if (kind < 0.605) return get('');
  const status = FILTERS[Math.floor(random() * FILTERS.length)] ?? '';
  const at = cursor(deepIn(pets, random), status);
  return get(`?cursor=${at}${status === '' ? '' : `&status=${status}`}`);
}

/** Requests that must not become slower with more pets. 3 of 100 pets are pending. */
export const scaleScenarios: readonly Scenario[] = [
  { name: 'first', title: 'first page', requests: () => [get('')], connections: MANY },
  {
    name: 'far',
    title: 'pages at the far end',
    requests: ({ program }, pets, random) =>
      many(() => get(`?cursor=${program.cursor(pets - 20 - Math.floor(random() * 500))}`)),
    connections: MANY,
  },
  {
    name: 'farOfStatus',
    title: 'pages of a status at the far end',
    requests: ({ program }, pets, random) =>
      many(() => get(`?cursor=${program.cursor(pets - 200 - Math.floor(random() * 500), 'sold')}&status=sold`)),
    connections: MANY,
  },
  { name: 'rare', title: 'a rare status', requests: () => [get('?status=pending')], connections: MANY },
];

/** Random numbers from a seed (mulberry32), so that every service gets the same requests. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
