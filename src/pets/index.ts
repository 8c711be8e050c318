export type { Pet, PetStatus } from './pet.entity.js';
export { PetsCatalogue } from './pets.service.js';
export { pets } from './pets.feature.js';
