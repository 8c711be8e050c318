import { CommanderError, type Command } from 'commander';
import type { Config } from '../platform/config/index.js';
import { commandFault } from '../platform/lifecycle/index.js';
import { createLog, type Log, type LogSettings } from '../platform/logging/index.js';
import { version } from '../platform/version.js';

/** What commander puts before the sentence of an argument's parser, which says all that there is to say. */
const BEFORE_OWN_SENTENCE = /command-argument value '.*' is invalid for argument '[^']*'\. /s;

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
  command.configureOutput({ outputError: (text, write) => write(commandFault(text.replace(BEFORE_OWN_SENTENCE, ''))) });
  command.commands.forEach(throwOnExit);
  return command;
}

/** What a shell sees of a program that SIGPIPE ended: 128 and the signal's number. */
const READER_GONE = 141;

/**
 * Lets a command outlive its output: its work, a migration perhaps, is done to the end, whoever reads what it prints. One that
 * goes away, as `head` does not read to the end, makes a success 141; Node ignores SIGPIPE and would end with a stack. A disk
 * that is full is reported: what the work made, a key perhaps, nobody saw.
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

/** The log of a command. It goes to standard error, since standard output belongs to what was asked for. */
export function commandLog(settings: Pick<LogSettings, 'level' | 'format'>): Promise<Log> {
  return createLog({ ...settings, stream: 'stderr', version, context: () => ({}) });
}

/** The log of a command whose output is collected, not read on a terminal, as in production that of the Job of a release. */
export async function collectedLog({ env, log }: Pick<Config, 'env' | 'log'>): Promise<Log | undefined> {
  return env === 'production' && log.format === 'json' ? commandLog(log) : undefined;
}
