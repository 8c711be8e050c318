export { AddressFailedAuthLimit } from './address-failed-auth-limit.js';
export { ClientRateLimit } from './client-rate-limit.js';
export { Limits } from './limits.js';
export { RateLimitGuard } from './rate-limit.guard.js';
export { Shedding } from './shedding.js';
