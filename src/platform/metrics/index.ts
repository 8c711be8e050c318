export type { Counter, Gauge, Histogram } from 'prom-client';
export { FeatureMetrics } from './feature-metrics.js';
export { Metrics } from './metrics.js';
export { MetricsModule } from './metrics.module.js';
export type { PoolState } from './pool-metrics.js';
