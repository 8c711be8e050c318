import { CommanderError, type Command } from 'commander';
import type { Config } from '../platform/config/index.js';
import { commandFault } from '../platform/lifecycle/index.js';
import { createLog, type Log, type LogSettings } from '../platform/logging/index.js';
import { version } from '../platform/version.js';

/** commander's text before the message of an argument parser. That message alone is enough. */
const BEFORE_OWN_SENTENCE = /command-argument value '.*' is invalid for argument '[^']*'\. /s;

/** Exit code of a usage error. */
const ASKED_WRONGLY = 2;

/** Ends a command that was used wrongly, and prints `sentence`. Exit code 2. */
export function refuse(command: Command, sentence: string): never {
  return command.error(`error: ${sentence}`, { exitCode: ASKED_WRONGLY });
}

/** Ends a command that changed nothing because an option is missing, and prints `sentence`. Exit code 2. */
export function holdBack(command: Command, sentence: string): never {
  return command.error(sentence, { exitCode: ASKED_WRONGLY });
}

/**
 * Makes a command and its subcommands throw `CommanderError` after its message is printed. The error has the exit code.
 * commander exits with 1 for a usage error. Here 1 means that the work failed, so usage errors exit with 2.
 */
export function throwOnExit(command: Command): Command {
  command.exitOverride((error) => {
    // `commander.error` is an error that a command reports itself, with its own exit code.
    const usage = error.exitCode !== 0 && error.code.startsWith('commander.') && error.code !== 'commander.error';
    throw usage ? new CommanderError(ASKED_WRONGLY, error.code, error.message) : error;
  });
  command.configureOutput({ outputError: (text, write) => write(commandFault(text.replace(BEFORE_OWN_SENTENCE, ''))) });
  command.commands.forEach(throwOnExit);
  return command;
}

/** Exit code for SIGPIPE by the convention of shells: 128 plus the number of the signal. */
const READER_GONE = 141;

/**
 * Lets a command complete its work, for example a migration, when its output fails. If the reader goes away early, as
 * `head` does, a success exits with 141; without this, Node ends the process with a stack, because it ignores SIGPIPE.
 * Other errors, such as a full disk, are reported and exit with 1: the result, for example a new key, is lost.
 */
export function outliveOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
      if (code === 'EPIPE') process.exitCode ||= READER_GONE;
      else {
        process.exitCode = 1;
        if (stream === process.stdout)
          process.stderr.write(commandFault(`error: The output cannot be written: ${message}\n`));
      }
    });
  }
}

/** The log of a command. It goes to standard error, because standard output has only the result. */
export function commandLog(settings: Pick<LogSettings, 'level' | 'format'>): Promise<Log> {
  return createLog({ ...settings, stream: 'stderr', version, context: () => ({}) });
}

/**
 * The log of a command in production with JSON log lines, for example in the Job of a release. Undefined: the command
 * prints its messages.
 */
export async function collectedLog({ env, log }: Pick<Config, 'env' | 'log'>): Promise<Log | undefined> {
  return env === 'production' && log.format === 'json' ? commandLog(log) : undefined;
}
