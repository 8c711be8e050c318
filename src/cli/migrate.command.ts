import { Command } from 'commander';
import { withDatabase } from './with-database.js';

/** `migrate`: applies what the database lacks; any number of processes may try at once. */
export function migrateCommand(): Command {
  return new Command('migrate').description('Bring the database to the schema of this build').action(async () => {
    await withDatabase({ migrate: false }, async ({ migrator }) => {
      const applied = await migrator.run();
      for (const name of applied) process.stdout.write(`applied ${name}\n`);
      process.stdout.write(
        applied.length === 0 ? 'The schema is current; nothing to do.\n' : 'The schema is current.\n',
      );
    });
  });
}
