import { endOnStopSignal, keepCompiledCode, mapStacks, useSupportedNode } from './platform/runtime/index.js';

/** The process: configuration, application, listen, drain. Nothing else. */
endOnStopSignal(process.argv.length === 2);
await useSupportedNode();
keepCompiledCode();
mapStacks();
const [{ runService }, { features }] = await Promise.all([import('./run-service.js'), import('./features.js')]);
await runService(features);
