export { Metrics } from './metrics.js';
export type { PoolState } from './pool-metrics.js';
