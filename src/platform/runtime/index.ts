export { keepCodeAtRest, keepCompiledCode, mapStacks } from './compiled-code.js';
export { endOnStopSignal, exitCodeOf, onStopSignal, type StopSignal } from './stop-signals.js';
export { giveBackStartMemory } from './start-memory.js';
export { useSupportedNode } from './supported-node.js';
