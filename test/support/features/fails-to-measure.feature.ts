import { Injectable, Module } from '@nestjs/common';
import { defineFeature, FeatureMetrics } from 'animal-store';

@Injectable()
class Scales {
  constructor(metrics: FeatureMetrics) {
    metrics.counter({ name: 'weighings_total', help: 'Its name is not of its feature.' });
  }
}

@Module({ providers: [Scales] })
class ScalesModule {}

export const scales = defineFeature({ name: 'scales', platform: '^1.0.0', module: ScalesModule });
