export { LimitsModule } from './limits.module.js';
export { RateLimitGuard } from './limits.js';
export { Shedding } from './shedding.js';
