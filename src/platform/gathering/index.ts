export { Gather } from './gather.js';
