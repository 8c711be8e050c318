export { LimitsModule } from './limits.module.js';
export { Limits, RateLimitGuard } from './limits.js';
export { Shedding } from './shedding.js';
export type { Allowance } from './rate-limit.js';
