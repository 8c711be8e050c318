export { Deprecated } from './deprecated.decorator.js';
export { Deprecations } from './deprecations.js';
export { RemovalGuard } from './removal.guard.js';
