import { defineFeature } from 'animal-store';
import { GazetteModule } from './gazette.module.js';
import { CreateGazette1764301000000 } from './migrations/create-gazette.1764301000000.js';

export const gazette = defineFeature({
  name: 'gazette',
  platform: '^1.0.0',
  module: GazetteModule,
  migrations: [CreateGazette1764301000000],
});
