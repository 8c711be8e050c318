import { Injectable, Module } from '@nestjs/common';
import { defineFeature } from 'animal-store';

/** No module provides this class. */
class Compass {
  readonly north = 0;
}

@Injectable()
class Sailor {
  constructor(readonly compass: Compass) {}
}

@Module({ providers: [Sailor] })
class SailorsModule {}

export const sailors = defineFeature({ name: 'sailors', platform: '^1.0.0', module: SailorsModule });
