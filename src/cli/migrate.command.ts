import { Command } from 'commander';
import {
  MOST_COUNTED,
  planMigrations,
  requireDurableWrites,
  tableSizes,
  type MigrationSource,
  type TableSize,
} from '../platform/database/index.js';
import { declareFeatures, startedFeatures } from '../platform/feature-check/index.js';
import type { Feature } from '../platform/feature.js';
import type { Log } from '../platform/logging/index.js';
import { platformSchema } from '../platform/schema.js';
import { holdBack, refuse } from './command-output.js';
import { readConfig, withDatabase } from './with-database.js';
import { exitCodeOf, onStopSignal, type StopSignal } from '../platform/runtime/index.js';
import { StartFault } from '../platform/errors/index.js';

interface MigrateOptions {
  readonly undo?: string;
  readonly yes?: true;
  readonly status?: true;
  readonly plan?: true;
}

/** `migrate`: applies the pending migrations, feature by feature. Several processes may run it at the same time. */
export function migrateCommand(features: readonly Feature[]): Command {
  const names = features.map(({ name }) => name).join(', ');
  const command: Command = new Command('migrate')
    .description('bring the database to the schema of this build')
    .option(
      '--undo <feature>',
      `drop the tables of one feature, which FEATURES_OFF names, with all that they hold: ${names}`,
    )
    .option('--yes', 'do what --undo says would be lost')
    .option('--status', 'print which migrations are applied, pending, or of another build, and change nothing')
    .option('--plan', 'print the SQL of what is pending, and change nothing')
    .action(async ({ undo: name, yes, status, plan }: MigrateOptions) => {
      if ([name, status, plan].filter((each) => each !== undefined).length > 1) {
        refuse(command, '--undo, --status and --plan do not go together.');
      }
      const feature = features.find((each) => each.name === name);
      if (feature !== undefined) return takeBack(command, features, feature, yes === true);
      if (name !== undefined) refuse(command, `There is no feature '${name}'. There are: ${names}.`);
      if (yes === true) refuse(command, '--yes belongs to --undo.');
      if (status === true) return printStatus(features);
      if (plan === true) return printPlan(features);
      return apply(features);
    });
  return command;
}

async function apply(features: readonly Feature[]): Promise<void> {
  const interrupted = interruption();
  await withDatabase(
    features,
    { migrate: false, create: true, outcome: 'applied' },
    async ({ migrator, dataSource, log }) => {
      const applied = await migrator.run(interrupted);
      interrupted.throwIfAborted();
      await requireDurableWrites(dataSource);
      const ahead = unknownTo(features, await migrator.applied());
      const current = ahead.length > 0 ? describeAhead(ahead) : 'The schema is current.';
      report(applied === 0 ? `${current.replace(/\.$/, '')}; nothing to do.` : current, { applied }, log);
    },
  );
}

async function takeBack(
  command: Command,
  features: readonly Feature[],
  feature: Feature,
  confirmed: boolean,
): Promise<void> {
  const { name } = feature;
  const config = await readConfig();
  if (startedFeatures(features, config).some((started) => started.name === name)) {
    refuse(
      command,
      `'${name}' is on: what serves it would fail without its tables. ` +
        `Start every replica with FEATURES_OFF=${name} first, then do this with it too.`,
    );
  }
  const use = { config, migrate: false, withThoseOff: true, outcome: 'undone' } as const;
  await withDatabase(features, use, async ({ migrator, dataSource, log }) => {
    if ((await migrator.appliedOf(name)).length === 0) {
      return report(`Nothing of '${name}' is in the database.`, { feature: name, undone: 0 }, log);
    }
    const [declared] = await declareFeatures([feature]);
    reportLoss(name, await tableSizes(dataSource, declared?.entities ?? []), log);
    if (!confirmed) holdBack(command, 'Nothing was changed. To drop them for good, add --yes.');
    const interrupted = interruption();
    const undone = await migrator.undo(name, interrupted);
    interrupted.throwIfAborted();
    log?.info({ event: 'migration.ended', feature: name, undone }, `The tables of '${name}' are dropped`);
  });
}

/** Reports the result in the log if there is one, otherwise on standard output. */
function report(result: string, fields: object, log: Log | undefined): void {
  if (log === undefined) process.stdout.write(`${result}\n`);
  else log.info({ event: 'migration.ended', ...fields }, result);
}

function reportLoss(feature: string, tables: readonly TableSize[], log: Log | undefined): void {
  if (log === undefined) return void process.stderr.write(describeLoss(feature, tables));
  const rows = Object.fromEntries(tables.map(({ table, rows }) => [table, rows]));
  log.warn({ event: 'migration.loss', feature, rows }, `The tables of '${feature}' go with all that they hold`);
}

function describeLoss(feature: string, tables: readonly TableSize[]): string {
  const lines = tables.map(({ table, rows }) => `  ${table}: ${countOfRows(rows)}\n`);
  return `The tables of '${feature}', with all that they hold:\n${lines.join('') || '  none\n'}`;
}

function countOfRows(rows: number): string {
  if (rows > MOST_COUNTED) return `more than ${MOST_COUNTED.toLocaleString('en')} rows`;
  return rows === 1 ? '1 row' : `${rows.toLocaleString('en')} rows`;
}

const READ_ONLY = { migrate: false, withThoseOff: true } as const;

/**
 * `migrate --status`: lists each migration of this build and of the database, and concludes whether the schema is
 * current.
 */
async function printStatus(features: readonly Feature[]): Promise<void> {
  await withDatabase(features, READ_ONLY, async ({ migrator }) => {
    const [applied, pending] = [await migrator.applied(), await migrator.pending()];
    const ahead = unknownTo(features, applied);
    const known = applied.filter((name) => !ahead.includes(name));
    const lines = [
      ...known.map((name) => `applied  ${name}`),
      ...pending.map(({ name, feature }) => `pending  ${name} of '${feature}'`),
      ...ahead.map((name) => `unknown  ${name}`),
      ...(pending.length === 0
        ? []
        : [`The schema is behind this build by ${countOfMigrations(pending.length)}: run 'migrate'.`]),
      ...(ahead.length === 0 ? [] : [describeAhead(ahead)]),
      ...(pending.length + ahead.length === 0 ? ['The schema is current.'] : []),
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
  });
}

/** `migrate --plan`: the SQL that `migrate` would run on this database. Nothing is changed. */
async function printPlan(features: readonly Feature[]): Promise<void> {
  await withDatabase(features, READ_ONLY, async ({ migrator, dataSource }) => {
    const planned = await planMigrations(dataSource, sourcesOf(features), await migrator.pending());
    if (planned.length === 0) process.stdout.write('-- Nothing is pending.\n');
    for (const { name, feature, statements, fault } of planned) {
      const rest = fault === undefined ? [] : [`-- What follows is known once those before are applied: ${fault}`];
      const recorded = `INSERT INTO migration (timestamp, name) VALUES (${name.slice(-13)}, '${name}');`;
      process.stdout.write(`${[`-- ${name} of '${feature}'`, ...statements, ...rest, recorded].join('\n')}\n\n`);
    }
  });
}

/** Applied migrations that this build does not know: of a newer build, or of features that it lacks. */
function unknownTo(features: readonly Feature[], applied: readonly string[]): string[] {
  const known = new Set(sourcesOf(features).flatMap(({ migrations = [] }) => migrations.map(({ name }) => name)));
  return applied.filter((name) => !known.has(name));
}

function describeAhead(unknown: readonly string[]): string {
  return `The schema is ahead of this build by ${countOfMigrations(unknown.length)}, of a newer one or another feature: ${unknown.join(', ')}.`;
}

function sourcesOf(features: readonly Feature[]): MigrationSource[] {
  return [platformSchema, ...features];
}

function countOfMigrations(migrations: number): string {
  return migrations === 1 ? '1 migration' : `${migrations} migrations`;
}

class Interrupted extends StartFault {
  override readonly exitCode: number;

  constructor(signal: StopSignal) {
    super(`Stopped by ${signal}: what was under way is done, and nothing more is begun. Run it again for the rest.`);
    this.name = 'Interrupted';
    this.exitCode = exitCodeOf(signal);
  }
}

/**
 * An `AbortSignal` for SIGINT (Ctrl-C), SIGTERM and SIGHUP, so that the command finishes the current step. A second one
 * ends the process at once.
 */
function interruption(): AbortSignal {
  const controller = new AbortController();
  onStopSignal((signal) => {
    onStopSignal((again) => process.exit(exitCodeOf(again)));
    controller.abort(new Interrupted(signal));
  });
  return controller.signal;
}
