import { CommanderError, type Command } from 'commander';

/** A command was asked for in a way that cannot be. */
const ASKED_WRONGLY = 2;

/** Ends a command that was, with a sentence that says how. */
export function refuse(command: Command, sentence: string): never {
  return command.error(`error: ${sentence}`, { exitCode: ASKED_WRONGLY });
}

/** Ends a command that was asked rightly and changed nothing, since it waits for one word more; a sentence says which. */
export function holdBack(command: Command, sentence: string): never {
  return command.error(sentence, { exitCode: ASKED_WRONGLY });
}

/**
 * Lets a command, and all below it, throw `CommanderError` once its message is printed, with the code to exit with.
 * Commander's own is 1 for a usage error, which here means that the work could not be done.
 */
export function throwOnExit(command: Command): Command {
  command.exitOverride((error) => {
    // `commander.error` is what a command says itself, with a code of its own.
    const usage = error.exitCode !== 0 && error.code.startsWith('commander.') && error.code !== 'commander.error';
    throw usage ? new CommanderError(ASKED_WRONGLY, error.code, error.message) : error;
  });
  command.commands.forEach(throwOnExit);
  return command;
}
