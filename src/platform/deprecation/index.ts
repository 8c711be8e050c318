export { Deprecated } from './deprecated.decorator.js';
export { Deprecations, type Announcement, warnOfUnknownSunsets } from './deprecations.js';
export { RemovalGuard } from './removal.guard.js';
