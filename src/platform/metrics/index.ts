export type { Counter, Gauge, Histogram } from 'prom-client';
export { FeatureMetrics } from './feature-metrics.js';
export { Metrics, type PoolState } from './metrics.js';
export { MetricsModule } from './metrics.module.js';
