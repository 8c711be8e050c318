import { defineFeature } from 'animal-store';
import { CreateThings1764000000000 } from './migrations/create-things.1764000000000.js';
import { thingNotFound } from './things.errors.js';
import { ThingsModule } from './things.module.js';

export const things = defineFeature({
  name: 'things',
  platform: '^1.0.0',
  module: ThingsModule,
  migrations: [CreateThings1764000000000],
  scopes: { 'things:read': 'List and fetch', 'things:write': 'Add' },
  errors: [thingNotFound],
});
