export { createBatcher, Gather, type BatcherOptions } from './gather.js';
