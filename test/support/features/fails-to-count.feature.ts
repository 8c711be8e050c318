import { Injectable, Module } from '@nestjs/common';
import { defineFeature, FeatureMetrics } from 'animal-store';

@Injectable()
class Abacus {
  constructor(metrics: FeatureMetrics) {
    metrics.gauge({ name: 'abacus_beads', help: 'Beads.' });
    metrics.gauge({ name: 'abacus_beads', help: 'A second one of this name.' });
  }
}

@Module({ providers: [Abacus] })
class AbacusModule {}

export const abacus = defineFeature({ name: 'abacus', platform: '^1.0.0', module: AbacusModule });
