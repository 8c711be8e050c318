import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { AuthModule } from './auth/index.js';
import { Clock } from './time.js';
import { ConfigModule, type Config } from './config/index.js';
import { DatabaseModule, type PlatformDataSource } from './database/index.js';
import { HealthModule } from './health/index.js';
import { HttpModule } from './http/index.js';
import { IdempotencyModule } from './idempotency/index.js';
import { LimitsModule } from './limits/index.js';
import { LoggingModule, type Log } from './logging/index.js';
import { MetricsModule, type FeatureMetrics, type Metrics } from './metrics/index.js';
import { RoutingModule } from './routing/index.js';

/** Objects that are created before Nest and passed to it. */
export interface CoreProviders {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly dataSource: PlatformDataSource;
  readonly metrics: Metrics;
  readonly featureMetrics: FeatureMetrics;
}

/** Everything that the platform provides to features. Each concern has its own global module. */
@Module({})
export class PlatformModule {
  static on({ config, clock, log, dataSource, metrics, featureMetrics }: CoreProviders): DynamicModule {
    const providers: Provider[] = [{ provide: Clock, useValue: clock }];
    return {
      module: PlatformModule,
      global: true,
      imports: [
        ConfigModule.of(config),
        LoggingModule.of(log),
        MetricsModule.of(metrics, featureMetrics),
        DatabaseModule.on(dataSource),
        RoutingModule,
        HttpModule,
        AuthModule,
        LimitsModule,
        IdempotencyModule,
        HealthModule,
      ],
      providers,
      exports: providers,
    };
  }
}
