import { endOnStopSignal, keepCompiledCode, mapStacks, useSupportedNode } from './platform/runtime/index.js';

/** The entry point of the process. Arguments make it the command line (run-service.ts). */
endOnStopSignal(process.argv.length === 2);
await useSupportedNode();
keepCompiledCode();
mapStacks();
const [{ runService }, { features }] = await Promise.all([import('./run-service.js'), import('./features.js')]);
await runService(features);
