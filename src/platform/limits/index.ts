export { LimitsModule } from './limits.module.js';
export { RateLimitGuard } from './rate-limit.guard.js';
export { Shedding } from './shedding.js';
