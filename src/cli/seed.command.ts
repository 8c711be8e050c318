import cliProgress from 'cli-progress';
import { Command, InvalidArgumentError } from 'commander';
import type { DataSource } from 'typeorm';
import { startedFeatures } from '../platform/feature-check/index.js';
import type { Feature, Samples } from '../platform/feature.js';
import { refuse } from './command-output.js';
import { readConfig, withDatabase } from './with-database.js';

/**
 * Rows per statement: large enough to make commits cheap, and small enough to stay far below the deadline of a query.
 */
const BATCH_SIZE = 2000;
/** Concurrent statements: the next rows are generated while the database stores the others. */
const AT_ONCE = 3;

interface SeedOptions {
  readonly count: number;
  readonly feature?: string;
  readonly add?: true;
}

/** `seed`: fills the table of a feature with generated records, for trials and measurements. */
export function seedCommand(features: readonly Feature[]): Command {
  const seedable = features.filter(({ samples }) => samples !== undefined).map(({ name }) => name);
  const command: Command = new Command('seed')
    .description('fill the database with made-up records, to try and to measure')
    .requiredOption('--count <number>', 'how many', wholeNumber)
    .option('--feature <name>', `of which feature: ${seedable.join(', ')}`, seedable[0])
    .option('--add', 'to those that are there already')
    .action(async ({ count, feature, add }: SeedOptions) => {
      const samples = features.find(({ name }) => name === feature)?.samples;
      if (samples === undefined) {
        const fault = feature === undefined ? 'no feature has samples' : `'${feature}' has no samples`;
        refuse(command, fault);
      }
      const config = await readConfig();
      if (startedFeatures(features, config).every(({ name }) => name !== feature)) {
        refuse(command, `'${feature}' is off (FEATURES_OFF)`);
      }
      // Without migrations a new SQLite file would have no tables.
      const create = config.migrations === 'run';
      await withDatabase(
        features,
        { config, migrate: true, feature, create, patient: true },
        async ({ dataSource }) => {
          if (add !== true && !(await isEmpty(dataSource, samples))) {
            command.error(`error: ${samples.table} has rows already; --add adds to them`);
          }
          await seed(dataSource, samples, count);
          process.stdout.write(`${count === 1 ? '1 row' : `${count} rows`} added to ${samples.table}\n`);
        },
      );
    });
  return command;
}

async function seed(dataSource: DataSource, samples: Samples, count: number): Promise<void> {
  const progress = progressBar(samples.table);
  progress.start(count, 0);
  let next = 0;
  const fill = async (): Promise<void> => {
    while (next < count) {
      const [first, size] = [next, Math.min(BATCH_SIZE, count - next)];
      next += size;
      const rows = Array.from({ length: size }, (_, index) => samples.row(first + index));
      await dataSource.query(insertStatement(samples, size), rows.flat());
      progress.increment(size);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, fill));
  } finally {
    progress.stop();
  }
}

/** Writes to standard error: a bar on a terminal, otherwise a line every ten seconds. */
function progressBar(what: string): cliProgress.SingleBar {
  const format = `${what} {bar} {percentage} %, {duration_formatted}, {eta_formatted} left`;
  return new cliProgress.SingleBar(
    { format, etaBuffer: 100, noTTYOutput: true, notTTYSchedule: 10_000 },
    cliProgress.Presets.shades_classic,
  );
}

async function isEmpty(dataSource: DataSource, { table }: Samples): Promise<boolean> {
  return (await dataSource.query<unknown[]>(`SELECT 1 FROM ${table} LIMIT 1`)).length === 0;
}

function insertStatement({ table, columns }: Samples, rows: number): string {
  const row = `(${columns.map(() => '?').join(', ')})`;
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${Array.from({ length: rows }, () => row).join(', ')}`;
}

function wholeNumber(text: string): number {
  const count = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : NaN;
  if (Number.isNaN(count)) throw new InvalidArgumentError('It is a whole number from 1 on.');
  return count;
}
