export { Batcher, createBatcher, notAsked, type BatcherOptions } from './batcher.js';
