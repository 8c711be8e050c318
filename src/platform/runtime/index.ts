export { cacheCompiledCode } from './compile-cache.js';
export { giveBackStartMemory } from './start-memory.js';
export { useSupportedNode } from './supported-node.js';
