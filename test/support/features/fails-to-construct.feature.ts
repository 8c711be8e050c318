import { Injectable, Module } from '@nestjs/common';
import { defineFeature } from 'animal-store';

@Injectable()
class Lantern {
  constructor() {
    throw new Error('No oil');
  }
}

@Module({ providers: [Lantern] })
class LanternsModule {}

export const lanterns = defineFeature({ name: 'lanterns', platform: '^1.0.0', module: LanternsModule });
