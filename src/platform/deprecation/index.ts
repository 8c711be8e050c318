export { Deprecated, Deprecations, type Announcement, warnOfUnknownSunsets, RemovalGuard } from './deprecations.js';
