export { cacheCompiledCode } from './compile-cache.js';
export { useSupportedNode } from './supported-node.js';
