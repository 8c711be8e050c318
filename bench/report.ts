import { availableParallelism } from 'node:os';
import { goals, isMet } from './goals.ts';
import { CONNECTIONS, type Sample } from './load.ts';
import type { Effort, Samples } from './rounds.ts';
import { scaleScenarios, scenarios } from './scenarios.ts';
import { programs, type Program, type ServiceName } from './services.ts';
import { ratioOf, spreadOf, type Spread } from './statistics.ts';

const OURS: ServiceName = 'animal-store';
const whole = (value: number): string => Math.round(value).toLocaleString('en-US');
const fixed = (value: number): string => value.toFixed(2);

/** On what the figures rest. */
export function circumstances({ restarts, rounds, seconds }: Effort): string {
  const taken = `${counted(rounds, 'round')} of ${counted(seconds, 'second')}`;
  const all = restarts === 1 ? taken : `${taken} with each of ${restarts} processes of a service`;
  const cores = `${availableParallelism()} cores, for load, service and database together`;
  return `${rounds * restarts === 1 ? 'What came of' : 'Medians of'} ${all}, on ${cores}; Node ${process.versions.node}.\n`;
}

const counted = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;

/** What each service did: medians of the rounds, and how far the rounds are apart. */
export function resultTable(samples: Samples, entrants: readonly Program[]): string {
  const rows = [...scenarios, ...scaleScenarios].flatMap(({ name, title }) =>
    entrants.flatMap((program) => {
      const taken = samples[name]?.[program.name];
      return taken === undefined ? [] : [[title, program.title, ...figures(taken)]];
    }),
  );
  const head = ['Request', 'Service', 'Requests/s', 'p50 ms', 'p99 ms', 'CPU µs', 'Database CPU µs', 'Queries'];
  return table(head, rows);
}

/** The ratios of this service to its peers, with what is aimed at. */
export function goalTable(samples: Samples): string {
  const rows = scenarios.flatMap(({ name, title }) =>
    (goals[name] ?? []).flatMap((goal) => {
      const ours = samples[name]?.[OURS];
      if (ours === undefined) return [];
      const cells = programs.slice(1).map((peer) => {
        const theirs = samples[name]?.[peer.name];
        const wanted = goal.against[peer.name];
        if (theirs === undefined || wanted === undefined) return '';
        const ratio = ratioOf(valuesOf(ours, goal.of), valuesOf(theirs, goal.of));
        const sign = goal.bound === 'at least' ? '≥' : '≤';
        return `${spread(ratio, fixed)}, ${sign} ${String(wanted)} ${isMet(goal, wanted, ratio.median) ? '✓' : '✗'}`;
      });
      return [[title, goal.of === 'perSecond' ? 'requests/s' : 'CPU', ...cells]];
    }),
  );
  const marks = rows.flat().join('');
  const [reached, missed] = [marks.split('✓').length - 1, marks.split('✗').length - 1];
  const head = ['Ratio', 'of', ...programs.slice(1).map(({ title }) => `to ${title}`)];
  return `${table(head, rows)}\n${reached} of ${reached + missed} goals are reached.\n`;
}

/** The ratios of this service to itself as another folder has it. */
export function besideTable(samples: Samples): string {
  const rows = scenarios.flatMap(({ name, title }) => {
    const [ours, theirs] = [samples[name]?.[OURS], samples[name]?.['beside']];
    if (ours === undefined || theirs === undefined) return [];
    const ratios = (['perSecond', 'cpuMicros'] as const).map((of) => ratioOf(valuesOf(ours, of), valuesOf(theirs, of)));
    return [[title, ...ratios.map((ratio) => spread(ratio, fixed))]];
  });
  return table(['Ratio to the other folder', 'requests/s', 'CPU'], rows);
}

/** Resident memory of each service after its last round. */
export function memoryTable(samples: Samples, entrants: readonly Program[]): string {
  const rows = entrants.flatMap(({ name, title }) => {
    const taken = Object.values(samples).flatMap((services) => services[name] ?? []);
    return taken.length === 0 ? [] : [[title, whole(Math.max(...taken.map(({ residentMiB }) => residentMiB)))]];
  });
  return table(['Service', `Most resident MiB at ${String(CONNECTIONS)} connections`], rows);
}

/** The same requests with few pets and with many. */
export function scaleTable(samples: Samples, few: string, many: string): string {
  const rows = scaleScenarios.flatMap(({ name, title }) => {
    const [little, much] = [samples[name]?.[few], samples[name]?.[many]];
    if (little === undefined || much === undefined) return [];
    return (['p50Ms', 'cpuMicros', 'databaseMicros', 'residentMiB'] as const).map((of) => [
      title,
      NAMES[of],
      spread(spreadOf(valuesOf(little, of)), of === 'p50Ms' ? fixed : whole),
      spread(spreadOf(valuesOf(much, of)), of === 'p50Ms' ? fixed : whole),
      spread(ratioOf(valuesOf(much, of), valuesOf(little, of)), fixed),
    ]);
  });
  return table(['Request', '', `${whole(Number(few))} pets`, `${whole(Number(many))} pets`, 'Ratio'], rows);
}

const NAMES = {
  p50Ms: 'p50 ms',
  cpuMicros: 'CPU µs',
  databaseMicros: 'database CPU µs',
  residentMiB: 'resident MiB',
} as const;

function figures(taken: readonly Sample[]): string[] {
  const of = (key: keyof Sample): Spread => spreadOf(valuesOf(taken, key));
  return [
    spread(of('perSecond'), whole),
    fixed(of('p50Ms').median),
    fixed(of('p99Ms').median),
    spread(of('cpuMicros'), whole),
    whole(of('databaseMicros').median),
    fixed(of('queries').median),
  ];
}

function valuesOf(taken: readonly Sample[], key: keyof Sample): number[] {
  return taken.map((sample) => sample[key]);
}

/** `median (least–most)`. */
function spread({ median, least, most }: Spread, write: (value: number) => string): string {
  return least === most ? write(median) : `${write(median)} (${write(least)}–${write(most)})`;
}

/** A table in Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `${lines.join('\n')}\n`;
}
