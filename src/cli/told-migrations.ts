import type { MigrationWitness } from '../platform/database/index.js';

/** What a command says of a migration that begins, and of one that is done: `applying`, `applied`. */
export interface MigrationWords {
  readonly started: string;
  readonly done: string;
}

/** What was done goes to standard output, as what came of a command; the rest is for whoever waits for it. */
export function toldOnTheTerminal(words: MigrationWords | undefined): MigrationWitness {
  return {
    waiting: () => void process.stderr.write('Another process migrates; waiting for it, 60 s at most.\n'),
    unrenewed: () =>
      void process.stderr.write('warning: The migration lock cannot be renewed; another process may take it over.\n'),
    started: ({ name }) => {
      if (words !== undefined) process.stderr.write(`${words.started} ${name}\n`);
    },
    done: ({ name }) => {
      if (words !== undefined) process.stdout.write(`${words.done} ${name}\n`);
    },
  };
}
