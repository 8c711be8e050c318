import { setTimeout as sleep } from 'node:timers/promises';
import cliProgress from 'cli-progress';
import type { BenchDatabase } from './bench-database.ts';
import { drive, measure, type Sample } from './load.ts';
import type { Case } from './scenarios.ts';
import type { RunningService } from './services.ts';

/** A service on its database, as one process or more. */
export interface Contender {
  /** Tells it from the others. */
  readonly name: string;
  readonly services: readonly RunningService[];
  readonly database: BenchDatabase;
}

export interface Effort {
  /** Processes of each service, one after another: one may be a fifth faster than its twin for all its life. */
  readonly restarts: number;
  /** Of each of them. */
  readonly rounds: number;
  /** Of one measurement. */
  readonly seconds: number;
  /** Of each service with each scenario, before the first round. */
  readonly warmUpSeconds: number;
  /** Without a request, before each scenario; none where it is left out. */
  readonly restSeconds?: number;
}

/** By scenario, then by contender: a sample a round. */
export type Samples = Readonly<Record<string, Readonly<Record<string, readonly Sample[]>>>>;

/**
 * Measures every contender with every scenario, in turn, over and over: what disturbs the machine for a while disturbs
 * all. Each round begins with another contender, going on from those with earlier processes.
 */
export async function runRounds(
  contenders: readonly Contender[],
  scenarios: readonly Case[],
  { rounds, seconds, warmUpSeconds, restSeconds = 0 }: Effort,
  roundsBefore: number,
): Promise<Samples> {
  // One of each scenario, with the most connections: what is compiled does not depend on their number.
  const warming = [...new Map(scenarios.map((one) => [one.scenario, one])).values()];
  const all = warmUpSeconds * warming.length + rounds * seconds * scenarios.length;
  const format = 'bench {bar} {percentage} % in {duration_formatted}: {note}';
  const options = { format, etaBuffer: 100, noTTYOutput: true, notTTYSchedule: 10_000 };
  const progress = new cliProgress.SingleBar(options, cliProgress.Presets.shades_classic);
  progress.start(all * contenders.length, 0, { note: '' });
  const samples: Record<string, Record<string, Sample[]>> = {};
  for (const scenario of warming) {
    for (const { services, database } of contenders) {
      await drive(services, scenario, database.pets, warmUpSeconds);
      progress.increment(warmUpSeconds, { note: 'warming up' });
    }
  }
  for (let round = 0; round < rounds; round++) {
    for (const scenario of scenarios) {
      await sleep(restSeconds * 1000);
      for (const { name, services, database } of rotated(contenders, roundsBefore + round)) {
        const sample = await measure(services, scenario, database, seconds);
        ((samples[scenario.name] ??= {})[name] ??= []).push(sample);
        progress.increment(seconds, { note: `${scenario.title}, ${name}` });
      }
    }
  }
  progress.stop();
  return samples;
}

/** As if one run had taken them all. */
export function joined(runs: readonly Samples[]): Samples {
  const all: Record<string, Record<string, Sample[]>> = {};
  for (const run of runs) {
    for (const [scenario, taken] of Object.entries(run)) {
      for (const [name, samples] of Object.entries(taken)) ((all[scenario] ??= {})[name] ??= []).push(...samples);
    }
  }
  return all;
}

function rotated<T>(items: readonly T[], by: number): T[] {
  const first = by % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}
