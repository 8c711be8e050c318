export { Batcher, createBatcher, type BatcherOptions } from './batcher.js';
