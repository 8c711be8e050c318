export type { Pet, PetStatus } from './pet.entity.js';
export { PetsCatalogue } from './pets.catalogue.js';
export { pets } from './pets.feature.js';
