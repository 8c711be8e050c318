export { createBatcher, Batcher, type BatcherOptions } from './batcher.js';
