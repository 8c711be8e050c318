import { setTimeout as sleep } from 'node:timers/promises';
import cliProgress from 'cli-progress';
import type { BenchDatabase } from './bench-database.ts';
import { drive, measure, type Sample } from './load.ts';
import type { Case } from './scenarios.ts';
import type { RunningService } from './services.ts';

/** A service with its database, in one process or more. */
export interface Contender {
  /** A unique name. */
  readonly name: string;
  readonly services: readonly RunningService[];
  readonly database: BenchDatabase;
}

export interface Effort {
  /**
   * How many processes of each service run, one after another. One may be a fifth faster than the next as long as it
   * lives.
   */
  readonly restarts: number;
  /** Rounds with each process. */
  readonly rounds: number;
  /** Seconds of one measurement. */
  readonly seconds: number;
  /** Seconds for each service and scenario, before the first round. */
  readonly warmUpSeconds: number;
  /** Seconds without requests before each scenario. Default: 0. */
  readonly restSeconds?: number;
}

/** One sample per round, by scenario and then by contender. */
export type Samples = Readonly<Record<string, Readonly<Record<string, readonly Sample[]>>>>;

/**
 * Measures every contender with every scenario in turn, several times, so that a disturbance of the machine affects all
 * of them. Each round begins with another contender; the rotation continues over restarts.
 */
export async function runRounds(
  contenders: readonly Contender[],
  scenarios: readonly Case[],
  { rounds, seconds, warmUpSeconds, restSeconds = 0 }: Effort,
  roundsBefore: number,
): Promise<Samples> {
  // One case of each scenario, with the most connections, since their number does not change what V8 compiles.
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

/** Merges the samples of several runs. */
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
