export { LimitsModule } from './limits.module.js';
export { Limits, RateLimitGuard } from './limits.js';
export { Overload } from './overload.js';
export type { Allowance } from './rate-limit.js';
