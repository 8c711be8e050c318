export { Gather } from './gather.js';
export { SharedRead } from './shared-read.js';
