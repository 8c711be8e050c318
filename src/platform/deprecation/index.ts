export { Deprecated } from './deprecated.decorator.js';
export { Deprecations, warnOfUnknownSunsets } from './deprecations.js';
export { RemovalGuard } from './removal.guard.js';
