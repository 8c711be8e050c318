/**
 * Runs the fault tests in their long form, with outages of a minute, many rounds and many clients. Compares the
 * measured times with the promised limits, and writes the table to docs/operating/incidents.md. Exit code 1 if a test
 * fails or a limit is exceeded. Takes about twenty minutes on a machine that does nothing else.
 *
 *   npm run check -- faults [--quick]
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { table } from '../bench/report.ts';
import { spreadOf } from '../bench/statistics.ts';
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
  const text = table(['What', 'Times', 'Median', 'Most', 'May be'], rows);
  process.stdout.write(`\n${text}`);
  const broken = figures.filter(({ value, limit }) => value > (limit ?? Infinity));
  for (const { what, value, limit, unit } of broken) process.stderr.write(`${what}: ${value} ${unit}, not ${limit}\n`);
  if (!values.quick && status === 0) writeBlock('faults', text, 'operating/incidents.md');
  process.exitCode = status === 0 && broken.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}

function row(what, taken) {
  const { median, most } = spreadOf(taken.map(({ value }) => value));
  const { unit, limit } = taken[0];
  const show = (value) => `${Math.round(value).toLocaleString('en-US')} ${unit}`;
  return [what, String(taken.length), show(median), show(most), limit === undefined ? '' : show(limit)];
}
