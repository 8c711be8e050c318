import { Injectable, Module } from '@nestjs/common';
import { defineFeature, FeatureMetrics } from 'animal-store';

@Injectable()
class Abacus {
  constructor(metrics: FeatureMetrics) {
    metrics.gauge({ name: 'animal_store_ready', help: 'The platform has one of this name.' });
  }
}

@Module({ providers: [Abacus] })
class AbacusModule {}

export const abacus = defineFeature({ name: 'abacus', platform: '^1.0.0', module: AbacusModule });
