export { BodyLimit, declareRoute, LocatedBy, Raises, RequestDeadline, Stability, traitsOf } from './declare-route.js';
export { discoverRoutes } from './discover-routes.js';
export { expressPath, RouteTable } from './route-table.js';
export { argumentsOf, type HandlerArgument } from './handler-arguments.js';
export { FORM_MEDIA, JSON_MEDIA } from './media-types.js';
export type { DeprecationTerms, Location, Route, RouteTraits } from './route.js';
export { PublicUrls } from './public-urls.js';
export { RoutingModule } from './routing.module.js';
