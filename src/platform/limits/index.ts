export { AddressFailedAuthLimit, Limits, ClientRateLimit, RateLimitGuard } from './limits.js';
export { Shedding } from './shedding.js';
