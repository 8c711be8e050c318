export { things } from './things.feature.js';
