import { keepCompiledCode, mapStacks, useSupportedNode } from './platform/runtime/index.js';

/** The process: configuration, application, listen, drain. Nothing else. */
await useSupportedNode();
keepCompiledCode();
mapStacks();
const [{ runService }, { features }] = await Promise.all([import('./run-service.js'), import('./features.js')]);
await runService(features);
