export { Deprecated, Deprecations, type Announcement, warnOfUnknownSunsets, RemovalGuard } from './deprecations.js';
export { DeprecationModule } from './deprecation.module.js';
