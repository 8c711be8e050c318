import { Command, Option } from 'commander';
import type { Feature } from '../platform/feature.js';
import { withDatabase } from './with-database.js';

interface MigrateOptions {
  readonly undo?: string;
}

/** `migrate`: applies what the database lacks, feature by feature; any number of processes may try at once. */
export function migrateCommand(features: readonly Feature[]): Command {
  const undo = new Option('--undo <feature>', 'drop the tables of one feature, with all that they hold').choices(
    features.map(({ name }) => name),
  );
  return new Command('migrate')
    .description('bring the database to the schema of this build')
    .addOption(undo)
    .action((options: MigrateOptions) =>
      options.undo === undefined ? apply(features) : takeBack(features, options.undo),
    );
}

async function apply(features: readonly Feature[]): Promise<void> {
  await withDatabase(features, { migrate: false }, async ({ migrator }) => {
    const applied = await migrator.run();
    for (const { name } of applied) process.stdout.write(`applied ${name}\n`);
    process.stdout.write(applied.length === 0 ? 'The schema is current; nothing to do.\n' : 'The schema is current.\n');
  });
}

async function takeBack(features: readonly Feature[], feature: string): Promise<void> {
  await withDatabase(features, { migrate: false, withThoseOff: true }, async ({ migrator }) => {
    const undone = await migrator.undo(feature);
    for (const { name } of undone) process.stdout.write(`undone ${name}\n`);
    if (undone.length === 0) process.stdout.write(`Nothing of '${feature}' is in the database.\n`);
  });
}
