#!/usr/bin/env node
import 'reflect-metadata';
import { runCommand } from './cli/index.js';
import { features } from './features.js';
import { exitOnFault, useSupportedNode } from './platform/lifecycle/index.js';

/** The command line of the features that this service ships. */
await exitOnFault(async () => {
  await useSupportedNode();
  await runCommand(features, process.argv.slice(2));
});
