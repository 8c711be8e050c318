export { pets } from './pets.feature.js';
