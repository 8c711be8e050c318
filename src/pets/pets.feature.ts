import { defineFeature } from '../platform/feature.js';
import { CreatePets1764201600000 } from './migrations/create-pets.1764201600000.js';
import { petNotFound } from './pets.errors.js';
import { PetsModule } from './pets.module.js';
import { petSamples } from './pets.samples.js';

export const pets = defineFeature({
  name: 'pets',
  platform: '^1.0.0',
  module: PetsModule,
  migrations: [CreatePets1764201600000],
  privileges: { pet: 'SELECT, INSERT' },
  scopes: { 'pets:read': 'List and fetch pets', 'pets:write': 'Add pets' },
  errors: [petNotFound],
  samples: petSamples,
});
