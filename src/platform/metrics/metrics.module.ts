import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { FeatureMetrics } from './feature-metrics.js';
import { Metrics } from './metrics.js';

/** Provides the metrics of the platform, and the service with which features add theirs. */
@Module({})
export class MetricsModule {
  static of(metrics: Metrics, featureMetrics: FeatureMetrics): DynamicModule {
    const providers: Provider[] = [
      { provide: Metrics, useValue: metrics },
      { provide: FeatureMetrics, useValue: featureMetrics },
    ];
    return { module: MetricsModule, global: true, providers, exports: providers };
  }
}
