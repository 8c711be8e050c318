#!/usr/bin/env node
import 'reflect-metadata';
import { Command, CommanderError } from 'commander';
import { commands } from './cli/index.js';
import { exitOnFault, useSupportedNode } from './platform/lifecycle/index.js';
import { version } from './platform/version.js';

/** The command line: one file a command in cli/. */
await exitOnFault(async () => {
  await useSupportedNode();
  const program = new Command('animal-store').description('Runs and keeps an Animal Store').version(version);
  for (const command of commands) program.addCommand(command);
  try {
    await program.parseAsync();
  } catch (error) {
    // Its message is printed already.
    if (error instanceof CommanderError) process.exitCode = error.exitCode;
    else throw error;
  }
});
