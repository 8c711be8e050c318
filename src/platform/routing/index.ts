export { Deprecated, Deprecations, RemovalGuard, warnOfUnknownSunsets, type Announcement } from './deprecation.js';
export { discoverRoutes } from './discover-routes.js';
export { FORM_MEDIA, JSON_MEDIA, type HandlerArgument } from './handler-metadata.js';
export {
  BodyLimit,
  declareRoute,
  LocatedBy,
  Raises,
  RequestDeadline,
  Stability,
  traitsOf,
  type DeprecationTerms,
  type Location,
  type Route,
  type RouteTraits,
} from './route.js';
export { AS_EXPRESS, expressPath, PublicUrls, RouteTable } from './route-table.js';
export { RoutingModule } from './routing.module.js';
