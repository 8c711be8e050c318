/** This service beside its peers, or beside itself with more pets. `npm run bench -- --help` says how. */
import { writeFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { fillDatabase, startServer } from './bench-database.ts';
import { latencyChart, throughputChart } from './chart.ts';
import { besideTable, circumstances, goalTable, memoryTable, resultTable, scaleTable, summary } from './report.ts';
import { joined, runRounds, type Contender, type Effort, type Samples } from './rounds.ts';
import { requireSameAnswers } from './same-answers.ts';
import { casesOf, scaleScenarios, scenarios, type Case, type Scenario } from './scenarios.ts';
import { animalStore, builtIn, buildPeers, programs, RunningService, type Program } from './services.ts';
import { writeBlock, writeChart } from './written.ts';

interface Options {
  readonly quick?: true;
  readonly scale?: true;
  readonly json?: string;
  readonly only?: string[];
  readonly against?: string[];
  readonly connections?: string[];
  readonly beside?: string;
  readonly restarts?: string;
  readonly rounds?: string;
  readonly seconds?: string;
}

const PETS = 100_000;
const FEW = 1000;
const MANY = 10_000_000;
/** Compiled by V8 in the end is what has run for long: all requests of a service warm each other up. */
const QUICK: Effort = { restarts: 1, rounds: 1, seconds: 1, warmUpSeconds: 2 };
const FULL: Effort = { restarts: 3, rounds: 1, seconds: 3, warmUpSeconds: 4 };

const names = (items: readonly { readonly name: string }[]): string => items.map(({ name }) => name).join(', ');
const list = (text: string): string[] => text.split(',');

const options = new Command('bench')
  .description('measures this service beside its peers on one machine, and writes docs/benchmarks.md')
  .option('--quick', 'a look of two minutes, which writes no document')
  .option('--scale', `this service alone, with ${String(FEW)} pets and with ${String(MANY)}`)
  .option('--json <file>', 'write every sample to a file')
  .option('--only <names>', `some requests, which writes no document: ${names(scenarios)}`, list)
  .option('--connections <numbers>', 'only with so many connections at once', list)
  .option('--against <names>', `some services: ${names(programs)}`, list)
  .option('--beside <folder>', 'this service alone, and as another folder has it built; writes no document')
  .addOption(new Option('--restarts <number>', 'processes of each service, one after another').default(undefined, '3'))
  .addOption(new Option('--rounds <number>', 'with each process').default(undefined, '1'))
  .addOption(new Option('--seconds <number>', 'of one measurement, whole ones').default(undefined, '3'))
  .parse()
  .opts<Options>();

const effort: Effort = {
  ...(options.quick ? QUICK : FULL),
  ...(options.restarts !== undefined && { restarts: Number(options.restarts) }),
  ...(options.rounds !== undefined && { rounds: Number(options.rounds) }),
  ...(options.seconds !== undefined && { seconds: Number(options.seconds) }),
};
const partial = options.only ?? options.against ?? options.connections ?? options.beside;
const whole = !options.quick && partial === undefined;

const server = await startServer();
try {
  const samples = await (options.scale ? besideItself() : besidePeers());
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify({ effort, samples }, null, 2)}\n`);
} finally {
  await server.stop();
}
// Connections to the server that is gone are still there.
process.exit();

async function besidePeers(): Promise<Samples> {
  const chosen = chosenOf(scenarios);
  const entrants = entrantsOf(options);
  buildPeers(entrants);
  const database = await fillDatabase(server, PETS);
  const places = entrants.map((program) => ({ name: program.name, program, database }));
  const samples = await runAll(places, chosen, async (services) => {
    for (const scenario of chosen) await requireSameAnswers(services, scenario, database.pets);
  });
  const ratios = options.beside === undefined ? goalTable(samples) : besideTable(samples);
  const tables = [
    circumstances(effort),
    ...(whole ? ['![p99 of each service by connections](latency.svg)\n'] : []),
    resultTable(samples, entrants, chosen),
    ratios,
    memoryTable(samples, entrants),
  ].join('\n');
  process.stdout.write(`\n${tables}\n`);
  if (whole) {
    writeBlock('summary', summary(samples));
    writeBlock('peers', tables);
    writeChart('benchmarks.svg', throughputChart(samples));
    writeChart('latency.svg', latencyChart(samples));
  }
  return samples;
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

/** Measures processes that are started for it, as often as `effort` says. */
async function runAll(
  places: readonly (Omit<Contender, 'service'> & { readonly program: Program })[],
  chosen: readonly Case[],
  inspect?: (services: readonly RunningService[]) => Promise<void>,
): Promise<Samples> {
  const runs: Samples[] = [];
  for (let run = 0; run < effort.restarts; run++) {
    const contenders: Contender[] = [];
    for (const { program, ...place } of places) {
      contenders.push({ ...place, service: await RunningService.start(program, place.database.url) });
    }
    const services = contenders.map(({ service }) => service);
    await inspect?.(services);
    runs.push(await runRounds(contenders, chosen, effort, run * effort.rounds));
    await Promise.all(services.map((service) => service.stop()));
  }
  return joined(runs);
}

function entrantsOf({ against, beside }: Options): readonly Program[] {
  if (beside !== undefined) return [animalStore, builtIn(beside)];
  return programs.filter(({ name }) => against === undefined || against.includes(name));
}

function chosenOf(all: readonly Scenario[]): readonly Case[] {
  const named = all.filter(({ name }) => options.only?.includes(name) ?? true);
  return casesOf(named, options.connections?.map(Number));
}
