import { availableParallelism, cpus } from 'node:os';
import { goalsOf, isAtLeast, isMet, valueOf, type Goal } from './goals.ts';
import type { Sample } from './load.ts';
import type { Effort, Samples } from './rounds.ts';
import { casesOf, scaleScenarios, scenarios, type Case } from './scenarios.ts';
import { animalStore, programs, type PeerName, type Program } from './services.ts';
import { ratioOf, spreadOf, type Spread } from './statistics.ts';

const OURS = animalStore.name;
const whole = (value: number): string => Math.round(value).toLocaleString('en-US');
const fixed = (value: number): string => value.toFixed(2);

/** The conditions under which the figures were measured. */
export function circumstances({ restarts, rounds, seconds }: Effort): string {
  const taken = `${counted(rounds, 'round')} of ${counted(seconds, 'second')}`;
  const all = restarts === 1 ? taken : `${taken} with each of ${restarts} processes of a service`;
  const cores = `${availableParallelism()} cores of ${cpus()[0]?.model ?? 'an unknown kind'}, for load, service and database together`;
  return `${rounds * restarts === 1 ? 'What came of' : 'Medians of'} ${all}, on ${cores}; Node ${process.versions.node}.\n`;
}

const counted = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;

/** The figures of each service: medians of the rounds, and their spread. */
export function resultTable(samples: Samples, entrants: readonly Program[], cases: readonly Case[]): string {
  const rows = cases.flatMap(({ name, title }) =>
    entrants.flatMap((program) => {
      const taken = samples[name]?.[program.name];
      return taken === undefined ? [] : [[title, program.title, ...figures(taken)]];
    }),
  );
  const head = [
    'Request, connections',
    'Service',
    'Requests/s',
    'p50 ms',
    'p99 ms',
    'CPU µs',
    'Database CPU µs',
    'Queries',
  ];
  return table(head, rows);
}

/** The heading of each kind of ratio. */
const TITLES: Readonly<Record<Goal['of'], string>> = {
  perSecond: 'requests/s',
  p99Ms: 'p99',
  bothMicros: 'CPU with database',
};
const peers = programs.filter(({ name }) => name !== OURS);

interface Ratio {
  readonly measured: Case;
  readonly of: Goal['of'];
  readonly peer: Program;
  readonly ratio: Spread;
  /** Undefined if there is no goal. */
  readonly wanted: number | undefined;
}

/** The ratios of this service to each peer, case by case. */
function ratiosOf(samples: Samples): Ratio[] {
  return casesOf(scenarios).flatMap((measured) =>
    goalsOf(measured).flatMap(({ of, against }) =>
      peers.flatMap((peer) => {
        const [ours, theirs] = [samples[measured.name]?.[OURS], samples[measured.name]?.[peer.name]];
        if (ours === undefined || theirs === undefined) return [];
        const values = (taken: readonly Sample[]): number[] => taken.map((sample) => valueOf(sample, of));
        return [
          { measured, of, peer, ratio: ratioOf(values(ours), values(theirs)), wanted: against[peer.name as PeerName] },
        ];
      }),
    ),
  );
}

/** The ratios of this service to its peers, with the goals. */
export function goalTable(samples: Samples): string {
  const ratios = ratiosOf(samples);
  const rows = Map.groupBy(ratios, ({ measured, of }) => `${measured.title} | ${TITLES[of]}`);
  const lines = [...rows].map(([name, row]) => [
    name,
    ...peers.map((peer) => cellOf(row.find((one) => one.peer === peer))),
  ]);
  const aimed = ratios.filter(({ wanted }) => wanted !== undefined);
  const reached = aimed.filter(({ of, wanted, ratio }) => isMet(of, wanted ?? NaN, ratio.median));
  const head = ['Ratio', 'of', ...peers.map(({ title }) => `to ${title}`)];
  return `${table(head, lines)}\n${reached.length} of ${aimed.length} goals are reached.\n`;
}

function cellOf(one: Ratio | undefined): string {
  if (one === undefined) return '';
  const { of, wanted, ratio } = one;
  if (wanted === undefined) return spread(ratio, fixed);
  return `${spread(ratio, fixed)}, ${isAtLeast(of) ? '≥' : '≤'} ${String(wanted)} ${isMet(of, wanted, ratio.median) ? '✓' : '✗'}`;
}

/** Where the service is faster than its peers, where it is slower, and why: one paragraph each. */
export function summary(samples: Samples): string {
  const throughput = ratiosOf(samples).filter(({ of }) => of === 'perSecond');
  const places = (isAhead: boolean): string =>
    peers
      .map((peer) => {
        const taken = throughput.filter((one) => one.peer === peer);
        return { title: peer.title, where: connectionsWhere(taken, ({ ratio }) => ratio.median >= 1 === isAhead) };
      })
      .filter(({ where }) => where !== '')
      .map(({ title, where }) => `${title} with ${where}`)
      .join('; ') || 'none';
  return [
    `**More requests per second** than these peers, with these numbers of connections: ${places(true)}.`,
    `**Fewer requests per second** than these peers: ${places(false)}.`,
    '**Why**: concurrent requests share database statements, so a few statements serve many clients. A single request shares with no other, and pays for keys, limits, log and metrics, which the peers do not have.',
  ].join('\n\n');
}

/** The numbers of connections at which `holds` is true for some row, for example `8 (2 of 4 rows), 32`. */
function connectionsWhere(ratios: readonly Ratio[], holds: (ratio: Ratio) => boolean): string {
  return [...Map.groupBy(ratios, ({ measured }) => measured.connections)]
    .sort(([one], [other]) => one - other)
    .map(([connections, rows]) => ({ connections, rows: rows.length, found: rows.filter(holds).length }))
    .filter(({ found }) => found > 0)
    .map(({ connections, rows, found }) =>
      found === rows ? String(connections) : `${connections} (${found} of ${rows} rows)`,
    )
    .join(', ');
}

/** The ratios of this service to its variants: requests per second and CPU time. */
export function besideItselfTable(
  samples: Samples,
  others: readonly Program[],
  cases: readonly Case[],
  figures: readonly ('perSecond' | 'p99Ms' | 'cpuMicros' | 'residentMiB')[] = ['perSecond', 'cpuMicros'],
): string {
  const lines = others.flatMap(({ name: other, title }) =>
    figures.map((of) => {
      const cells = cases.map(({ name }) => {
        const [ours, theirs] = [samples[name]?.[OURS], samples[name]?.[other]];
        return ours && theirs ? spread(ratioOf(valuesOf(ours, of), valuesOf(theirs, of)), fixed) : '';
      });
      return [title, NAMES[of], ...cells];
    }),
  );
  return table(['Ratio to itself', 'of', ...cases.map(({ title }) => title)], lines);
}

/** Resident memory of each service after its last round. */
export function memoryTable(samples: Samples, entrants: readonly Program[]): string {
  const rows = entrants.flatMap(({ name, title }) => {
    const taken = Object.values(samples).flatMap((services) => services[name] ?? []);
    return taken.length === 0 ? [] : [[title, whole(Math.max(...taken.map(({ residentMiB }) => residentMiB)))]];
  });
  return table(['Service', 'Most resident MiB'], rows);
}

/** The same requests to one process and to two. */
export function processesTable(samples: Samples, one: string, two: string): string {
  const head = ['Request, connections', '', 'One process', 'Two processes', 'Ratio'];
  return table(
    head,
    pairRows(samples, casesOf(scenarios), [one, two], ['perSecond', 'p99Ms', 'cpuMicros', 'residentMiB']),
  );
}

/** The same requests with few pets and with many. */
export function scaleTable(samples: Samples, few: string, many: string): string {
  const head = ['Request', '', `${whole(Number(few))} pets`, `${whole(Number(many))} pets`, 'Ratio'];
  const of = ['p50Ms', 'cpuMicros', 'databaseMicros', 'residentMiB'] as const;
  return table(head, pairRows(samples, casesOf(scaleScenarios), [few, many], of));
}

/** A figure of two contenders in two columns, with the ratio of the second to the first. */
function pairRows(
  samples: Samples,
  cases: readonly Case[],
  [first, second]: readonly [string, string],
  figuresOf: readonly (keyof typeof NAMES)[],
): string[][] {
  return cases.flatMap(({ name, title }) => {
    const [ones, others] = [samples[name]?.[first], samples[name]?.[second]];
    if (ones === undefined || others === undefined) return [];
    return figuresOf.map((of) => {
      const write = NAMES[of].endsWith('ms') ? fixed : whole;
      const [one, other] = [valuesOf(ones, of), valuesOf(others, of)];
      return [
        title,
        NAMES[of],
        spread(spreadOf(one), write),
        spread(spreadOf(other), write),
        spread(ratioOf(other, one), fixed),
      ];
    });
  });
}

const NAMES = {
  perSecond: 'requests/s',
  p50Ms: 'p50 ms',
  p99Ms: 'p99 ms',
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
