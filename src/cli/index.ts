import { Command, CommanderError } from 'commander';
import { documentedSections } from '../platform/config/index.js';
import type { Feature } from '../platform/feature.js';
import { commandHint } from '../platform/lifecycle/index.js';
import { version } from '../platform/version.js';
import { throwOnExit } from './command-output.js';
import { configCommand } from './config.command.js';
import { grantsCommand } from './grants.command.js';
import { keysCommand, withKeysFile, withKeysOf } from './keys.command.js';
import { migrateCommand } from './migrate.command.js';
import { newCommand } from './new.command.js';
import { openapiCommand } from './openapi.command.js';
import { seedCommand } from './seed.command.js';

export { outliveOutput } from './command-output.js';

/**
 * Runs one command for these features. Sets `process.exitCode` to 2 for a usage error, and to the code of the command
 * if it failed.
 */
export async function runCommand(features: readonly Feature[], args: readonly string[]): Promise<void> {
  const program = new Command('animal-store')
    .description('Runs and keeps an Animal Store. Without arguments, `node dist/main.js` is the service.')
    .version(version);
  for (const command of commandsFor(features)) program.addCommand(command);
  try {
    await throwOnExit(program).parseAsync(args, { from: 'user' });
  } catch (error) {
    // commander has already printed the message.
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode;
    hintAtVariable(features, error, args[0]);
  }
}

/** Settings are variables and not options. If `--port 4400` is unknown, this suggests `PORT`. */
function hintAtVariable(features: readonly Feature[], { code }: CommanderError, option = ''): void {
  const name = option
    .replace(/^--|=.*/g, '')
    .replaceAll('-', '_')
    .toUpperCase();
  const isVariable = documentedSections(features).some(({ variables }) => variables.some((each) => each.name === name));
  if (code === 'commander.unknownOption' && isVariable) {
    process.stderr.write(commandHint(`Settings are variables of the environment: ${name}=… node dist/main.js\n`));
  }
}

/** Every command, in the order of the help. */
function commandsFor(features: readonly Feature[]): readonly Command[] {
  const scopes = features.flatMap((feature) => Object.keys(feature.scopes ?? {}));
  return [
    keysCommand(withKeysOf(features), withKeysFile, scopes),
    migrateCommand(features),
    grantsCommand(features),
    openapiCommand(features),
    configCommand(features),
    newCommand(),
    seedCommand(features),
  ];
}
