/**
 * Runs the tests of faults in their long form, with outages of a minute, many rounds and many clients, judges how long
 * everything took against what is promised, and writes the table to docs/operating.md. Ends with 1 where a test fails or a
 * promise is broken. It takes some twenty minutes, and a machine that does nothing else.
 *
 *   npm run check:faults -- [--quick]
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeBlock } from '../bench/written.ts';

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const SPECS = [
  ...['ambiguous-insert', 'database-connections', 'database-hung', 'database-killed', 'disk-full', 'galera'],
  ...['graceful-stop', 'migrations-killed', 'read-only-failover', 'rolling-restart', 'service-killed', 'start.spec'],
];
const LONG = {
  FAULT_ROUNDS: '10',
  FAULT_KILLS: '25',
  FAULT_HANG_MS: '60000',
  FAULT_RATE: '200',
  FAULT_REPEATS: '1000',
  FAULT_CLIENTS: '500',
  GALERA_READS: '10000',
  GALERA_CONFLICTS: '1000',
  GALERA_RACES: '20',
  RESTART_ROUNDS: '3',
  STOP_CLIENTS: '200',
  STOP_REQUESTS: '20000',
};

const folder = mkdtempSync(join(tmpdir(), 'animal-store-figures-'));
const file = join(folder, 'figures');
writeFileSync(file, '');
try {
  const env = { ...process.env, ...(values.quick ? {} : LONG), FIGURES_FILE: file };
  const args = ['test', '--', '--runInBand', ...SPECS.map((name) => `test/faults/${name}`)];
  const { status } = spawnSync('npm', args, { env, stdio: 'inherit' });
  const figures = readFileSync(file, 'utf8').trim().split('\n').filter(Boolean).map(JSON.parse);
  const rows = [...Map.groupBy(figures, ({ what }) => what)].map(([what, taken]) => row(what, taken));
  const text = ['| What | Times | Median | Most | May be |', '| --- | --- | --- | --- | --- |', ...rows].join('\n');
  process.stdout.write(`\n${text}\n`);
  const broken = figures.filter(({ value, limit }) => value > (limit ?? Infinity));
  for (const { what, value, limit, unit } of broken) process.stderr.write(`${what}: ${value} ${unit}, not ${limit}\n`);
  if (!values.quick && status === 0) writeBlock('faults', text, 'operating.md');
  process.exitCode = status === 0 && broken.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}

function row(what, taken) {
  const sorted = taken.map(({ value }) => value).toSorted((a, b) => a - b);
  const { unit, limit } = taken[0];
  const show = (value) => `${value.toLocaleString('en-US')} ${unit}`;
  const median = sorted[Math.floor(sorted.length / 2)];
  return `| ${what} | ${taken.length} | ${show(median)} | ${show(sorted.at(-1))} | ${limit === undefined ? '' : show(limit)} |`;
}
