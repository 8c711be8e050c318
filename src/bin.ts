#!/usr/bin/env node
import { endOnStopSignal, keepCompiledCode, mapStacks, useSupportedNode } from './platform/runtime/index.js';

/** The command line with the features of this service. */
endOnStopSignal(false);
await useSupportedNode();
keepCompiledCode();
mapStacks();
const [{ runService }, { features }] = await Promise.all([import('./run-service.js'), import('./features.js')]);
const args = process.argv.slice(2);
await runService(features, args.length === 0 ? ['help'] : args);
