export { endOnStopSignal, exitCodeOf, onStopSignal, type StopSignal } from './stop-signals.js';
export { useSupportedNode } from './supported-node.js';
export { giveBackStartMemory, keepCodeAtRest, keepCompiledCode, mapStacks } from './v8.js';
