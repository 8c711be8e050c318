import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { Clock } from './clock.js';
import { CONFIG, type Config } from './config/index.js';
import { Database, DatabaseModule, type PlatformDataSource } from './database/index.js';
import { Deprecations, RemovalGuard } from './deprecation/index.js';
import { Health } from './health/index.js';
import { BodyGuard, Deadline, ErrorFilter, NegotiationGuard, Responder, RouteGuard, Unmatched } from './http/index.js';
import { IdempotencyModule } from './idempotency/index.js';
import { AuthModule, ClientQuota, FailedAuthLimit } from './auth/index.js';
import { ExchangeObserver, LoopWatch } from './lifecycle/index.js';
import { AddressFailedAuthLimit, ClientRateLimit, Limits, RateLimitGuard, Shedding } from './limits/index.js';
import { LOG, type Log } from './logging/index.js';
import { FeatureMetrics, Metrics } from './metrics/index.js';
import { PublicUrls, RouteTable } from './routing/index.js';

/** What exists before Nest does, and is given to it. */
export interface CoreProviders {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly dataSource: PlatformDataSource;
  readonly database: Database;
  readonly metrics: Metrics;
  readonly featureMetrics: FeatureMetrics;
}

const made = [
  RouteTable,
  Health,
  Deprecations,
  Responder,
  Unmatched,
  ExchangeObserver,
  LoopWatch,
  Shedding,
  Deadline,
  ClientRateLimit,
];
const steps = [RouteGuard, RateLimitGuard, RemovalGuard, NegotiationGuard, BodyGuard];

/** What every feature gets for nothing, under one roof. */
@Module({})
export class PlatformModule {
  static on({ config, clock, log, dataSource, database, metrics, featureMetrics }: CoreProviders): DynamicModule {
    const given: Provider[] = [
      { provide: CONFIG, useValue: config },
      { provide: Clock, useValue: clock },
      { provide: LOG, useValue: log },
      { provide: Database, useValue: database },
      { provide: Metrics, useValue: metrics },
      { provide: FeatureMetrics, useValue: featureMetrics },
      { provide: PublicUrls, useValue: new PublicUrls(config.http.publicBaseUrl) },
      { provide: ErrorFilter, useValue: new ErrorFilter(log) },
      { provide: Limits, useFactory: () => Limits.open(config, log) },
      { provide: FailedAuthLimit, useClass: AddressFailedAuthLimit },
      { provide: ClientQuota, useExisting: ClientRateLimit },
    ];
    const values = [...config.featureValues].map(([provide, useValue]) => ({ provide, useValue }));
    return {
      module: PlatformModule,
      global: true,
      imports: [DatabaseModule.on(dataSource), AuthModule, IdempotencyModule],
      providers: [...given, ...values, ...made, ...steps],
      exports: [
        CONFIG,
        Clock,
        LOG,
        Database,
        Metrics,
        FeatureMetrics,
        PublicUrls,
        ErrorFilter,
        Limits,
        FailedAuthLimit,
        ClientQuota,
        ...values,
        ...made,
      ],
    };
  }
}
