/**
 * Measures this service beside its peers, or beside itself: with more pets, more processes, or fewer optimizations.
 * Options: `npm run bench -- --help`.
 */
import { writeFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { OPTIMIZATIONS } from '../src/platform/optimizations.ts';
import { fillDatabase, startServer } from './bench-database.ts';
import { latencyChart, throughputChart } from './chart.ts';
import {
  besideItselfTable,
  circumstances,
  goalTable,
  memoryTable,
  processesTable,
  resultTable,
  scaleTable,
  summary,
} from './report.ts';
import { joined, runRounds, type Contender, type Effort, type Samples } from './rounds.ts';
import { requireSameAnswers } from './same-answers.ts';
import { casesOf, scaleScenarios, scenarios, type Case, type Scenario } from './scenarios.ts';
import {
  animalStore,
  builtIn,
  buildPeers,
  programs,
  RunningService,
  without,
  withSemiSpace,
  type Program,
} from './services.ts';
import { writeBlock, writeChart } from './written.ts';

interface Options {
  readonly quick?: true;
  readonly scale?: true;
  readonly processes?: true;
  readonly json?: string;
  readonly only?: string[];
  readonly against?: string[];
  readonly connections?: string[];
  readonly beside?: string[];
  readonly without?: true | string[];
  readonly semiSpace?: true | string[];
  readonly restarts?: string;
  readonly rounds?: string;
  readonly seconds?: string;
  readonly warmUp?: string;
  readonly rest?: string;
}

const PETS = 100_000;
const FEW = 1000;
const MANY = 10_000_000;
const REQUEST_PATH = 'decisions/0019-request-path.md';
/** MiB. V8 chooses the first in a container of 512 MiB, and the last on a machine of 16 GiB. */
const SEMI_SPACES = ['1', '8', '32'];
/** With fewer connections two processes are not fully used. */
const MANY_AT_ONCE = 32;
/** V8 compiles code that has run for long. All requests of a service warm each other up. */
const QUICK: Effort = { restarts: 1, rounds: 1, seconds: 1, warmUpSeconds: 2 };
const FULL: Effort = { restarts: 3, rounds: 1, seconds: 3, warmUpSeconds: 4 };

const names = (items: readonly { readonly name: string }[]): string => items.map(({ name }) => name).join(', ');
const list = (text: string): string[] => text.split(',');

const options = new Command('bench')
  .description('measures this service beside its peers on one machine, and writes docs/benchmarks.md')
  .option('--quick', 'take only two minutes, and write no document')
  .option('--scale', `measure this service alone, with ${String(FEW)} pets and with ${String(MANY)}`)
  .option('--processes', 'measure one process of this service, and two that share the connections')
  .option('--json <file>', 'write every sample to a file')
  .option('--only <names>', `measure only these requests, and write no document: ${names(scenarios)}`, list)
  .option('--connections <numbers>', 'measure only with these numbers of connections', list)
  .option('--against <names>', `measure only these services: ${names(programs)}`, list)
  .option('--beside <folders>', 'compare this service with its builds in other folders, and write no document', list)
  .option(
    '--without [names]',
    `compare this service with itself without each of these, by default all: ${OPTIMIZATIONS.join(', ')}`,
    list,
  )
  .option(
    '--semi-space [MiB]',
    `compare this service with itself with these sizes of V8's semi-spaces, by default ${SEMI_SPACES.join(', ')}`,
    list,
  )
  .addOption(new Option('--restarts <number>', 'processes of each service, one after another').default(undefined, '3'))
  .addOption(new Option('--rounds <number>', 'rounds with each process').default(undefined, '1'))
  .addOption(new Option('--seconds <number>', 'whole seconds of one measurement').default(undefined, '3'))
  .addOption(new Option('--warm-up <number>', 'seconds of warm-up for each request').default(undefined, '4'))
  .addOption(new Option('--rest <number>', 'seconds without a request before each measurement').default(undefined, '0'))
  .parse()
  .opts<Options>();

const effort: Effort = {
  ...(options.quick ? QUICK : FULL),
  ...(options.restarts !== undefined && { restarts: Number(options.restarts) }),
  ...(options.rounds !== undefined && { rounds: Number(options.rounds) }),
  ...(options.seconds !== undefined && { seconds: Number(options.seconds) }),
  ...(options.warmUp !== undefined && { warmUpSeconds: Number(options.warmUp) }),
  ...(options.rest !== undefined && { restSeconds: Number(options.rest) }),
};
const off = namesOf(options.without, OPTIMIZATIONS);
const sizes = namesOf(options.semiSpace, SEMI_SPACES);
const parts = [options.only, options.against, options.connections, options.beside, options.without, options.semiSpace];
const isPartial = parts.some((part) => Array.isArray(part));
const whole = !options.quick && !isPartial;

/** Variants of this service, to measure it beside itself. */
const itself = [...(options.beside ?? []).map(builtIn), ...off.map(without), ...sizes.map(withSemiSpace)];

const server = await startServer();
try {
  const samples = await (options.scale ? besideItself() : options.processes ? besideTwo() : besidePeers());
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify({ effort, samples }, null, 2)}\n`);
} finally {
  await server.stop();
}
// Connections to the stopped server would keep the process alive.
process.exit();

async function besidePeers(): Promise<Samples> {
  const chosen = chosenOf(scenarios);
  const entrants = itself.length > 0 ? [animalStore, ...itself] : peersOf(options);
  buildPeers(entrants);
  const database = await fillDatabase(server, PETS);
  const places = entrants.map((program) => ({ name: program.name, program, database }));
  const samples = await runAll(places, chosen, async (services) => {
    for (const scenario of chosen) await requireSameAnswers(services, scenario, database.pets);
  });
  const results = [circumstances(effort), resultTable(samples, entrants, chosen)];
  const figures = sizes.length > 0 ? (['perSecond', 'p99Ms', 'cpuMicros'] as const) : undefined;
  const tables = itself.length > 0 ? besideItselfTable(samples, itself, chosen, figures) : goalTable(samples);
  const memory = memoryTable(samples, entrants);
  process.stdout.write(`\n${[...results, tables, memory].join('\n')}\n`);
  if (whole && sizes.length > 0) writeBlock('semi-spaces', [circumstances(effort), tables, memory].join('\n'));
  else if (whole && itself.length > 0) writeBlock('without', `${circumstances(effort)}\n${tables}`, REQUEST_PATH);
  else if (whole) writePeers(samples, entrants, chosen);
  return samples;
}

function writePeers(samples: Samples, entrants: readonly Program[], chosen: readonly Case[]): void {
  const chart = '![p99 of each service by connections](latency.svg)\n';
  const tables = [resultTable(samples, entrants, chosen), goalTable(samples), memoryTable(samples, entrants)];
  writeBlock('summary', summary(samples));
  writeBlock('peers', [circumstances(effort), chart, ...tables].join('\n'));
  writeChart('benchmarks.svg', throughputChart(samples));
  writeChart('latency.svg', latencyChart(samples));
}

async function besideItself(): Promise<Samples> {
  const databases = [await fillDatabase(server, FEW), await fillDatabase(server, MANY)];
  const places = databases.map((database) => ({ name: String(database.pets), program: animalStore, database }));
  const samples = await runAll(places, chosenOf(scaleScenarios));
  const table = `${circumstances(effort)}\n${scaleTable(samples, String(FEW), String(MANY))}`;
  process.stdout.write(`\n${table}\n`);
  if (whole) writeBlock('scale', table);
  return samples;
}

/** One process and two processes, like replicas on one machine. */
async function besideTwo(): Promise<Samples> {
  const database = await fillDatabase(server, PETS);
  const places = [1, 2].map((processes) => ({ name: String(processes), program: animalStore, processes, database }));
  const samples = await runAll(
    places,
    chosenOf(scenarios).filter(({ connections }) => connections >= MANY_AT_ONCE),
  );
  const table = `${circumstances(effort)}\n${processesTable(samples, '1', '2')}`;
  process.stdout.write(`\n${table}\n`);
  if (whole) writeBlock('processes', table);
  return samples;
}

/** A program to start and measure. */
type Place = Omit<Contender, 'services'> & {
  readonly program: Program;
  /** Default: 1. */
  readonly processes?: number;
};

/** Starts the processes `effort.restarts` times, and measures them each time. */
async function runAll(
  places: readonly Place[],
  chosen: readonly Case[],
  inspect?: (services: readonly RunningService[]) => Promise<void>,
): Promise<Samples> {
  const runs: Samples[] = [];
  for (let run = 0; run < effort.restarts; run++) {
    const contenders: Contender[] = [];
    for (const { program, processes = 1, ...place } of places) {
      const services: RunningService[] = [];
      while (services.length < processes) services.push(await RunningService.start(program, place.database.url));
      contenders.push({ ...place, services });
    }
    const services = contenders.flatMap((contender) => contender.services);
    await inspect?.(services);
    runs.push(await runRounds(contenders, chosen, effort, run * effort.rounds));
    await Promise.all(services.map((service) => service.stop()));
  }
  return joined(runs);
}

/** The names that an option lists; all names if the option has no value. */
function namesOf(given: true | readonly string[] | undefined, all: readonly string[]): readonly string[] {
  return given === true ? all : (given ?? []);
}

function peersOf({ against }: Options): readonly Program[] {
  return programs.filter(({ name }) => against?.includes(name) ?? true);
}

function chosenOf(all: readonly Scenario[]): readonly Case[] {
  const named = all.filter(({ name }) => options.only?.includes(name) ?? true);
  // Every variant is one more process, so many variants are measured at one number of connections only.
  const connections = options.connections?.map(Number) ?? (itself.length > 1 ? [MANY_AT_ONCE] : undefined);
  return casesOf(named, connections);
}
