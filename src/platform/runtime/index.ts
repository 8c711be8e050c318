export { keepCodeAtRest, keepCompiledCode, mapStacks } from './compiled-code.js';
export { giveBackStartMemory } from './start-memory.js';
export { useSupportedNode } from './supported-node.js';
