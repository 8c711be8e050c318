import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Clock } from '../time.js';
import { CONFIG, type Config } from '../config/index.js';
import { ApiError, coreErrors } from '../errors/index.js';
import { Metrics } from '../metrics/index.js';
import { declareRoute, type DeprecationTerms, type Route } from './route.js';
import { PublicUrls, RouteTable } from './route-table.js';

/** The headers and links that announce a deprecation on each response of the operation. */
export interface Announcement {
  readonly headers: Readonly<Record<string, string>>;
  readonly links: readonly string[];
}

/** The headers of deprecated operations, and the time of their removal. */
@Injectable()
export class Deprecations {
  constructor(
    private readonly clock: Clock,
    private readonly routes: RouteTable,
    private readonly urls: PublicUrls,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * The moment from which a route answers 410, in milliseconds since the Unix epoch; undefined if it is not deprecated.
   */
  sunsetOf(route: Route): number | undefined {
    if (route.deprecated === undefined) return undefined;
    const moved = this.config.sunsets.get(constantCase(route.operationId));
    return moved?.getTime() ?? Date.parse(route.deprecated.sunset);
  }

  isRemoved(route: Route): boolean {
    const sunset = this.sunsetOf(route);
    return sunset !== undefined && this.clock.now() >= sunset;
  }

  /** Adds `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and the links to the future response of an exchange. */
  announce(answered: { readonly headers: Record<string, string>; readonly links: string[] }, route: Route): void {
    if (route.deprecated === undefined) return;
    const { headers, links } = this.announcementOf(route, route.deprecated);
    Object.assign(answered.headers, headers);
    answered.links.push(...links);
  }

  /**
   * The headers and links that `announce` adds. A printed document passes `urls`, because its addresses are not those
   * of this process.
   */
  announcementOf(route: Route, { since, sunset, successor }: DeprecationTerms, urls = this.urls): Announcement {
    const headers = {
      Deprecation: `@${Date.parse(since) / 1000}`,
      Sunset: new Date(this.sunsetOf(route) ?? sunset).toUTCString(),
    };
    const links = [`<${urls.docs}#${route.operationId}>; rel="deprecation"; type="text/html"`];
    const next = this.routes.ofOperation(successor);
    if (next) links.push(`<${urls.of(next.path)}>; rel="successor-version"`);
    return { headers, links };
  }
}

/** A warning for each `<OPERATION_ID>_SUNSET` without effect, for example because its feature is not started. */
export function warnOfUnknownSunsets(sunsets: Config['sunsets'], routes: readonly Route[]): string[] {
  const known = routes
    .filter((route) => route.deprecated !== undefined)
    .map((route) => constantCase(route.operationId));
  return [...sunsets.keys()]
    .filter((operation) => !known.includes(operation))
    .map((operation) => `${operation}_SUNSET is the date of no deprecated operation.`);
}

/** `getPet` → `GET_PET` */
function constantCase(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase();
}

/**
 * Marks an operation as deprecated: every response of its path has `Deprecation`, `Sunset` and `Link`, and the OpenAPI
 * document marks it. From the sunset on it answers 410. Each use before that is counted in
 * `animal_store_deprecated_requests_total`.
 */
export function Deprecated(deprecated: DeprecationTerms): MethodDecorator {
  for (const day of [deprecated.since, deprecated.sunset]) {
    if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || Number.isNaN(Date.parse(day)))
      throw new TypeError(`'${day}' is not YYYY-MM-DD`);
  }
  return declareRoute({ deprecated });
}

/**
 * Answers 410 `operation_removed` from an operation's sunset on, after the key is accepted. Counts each use before
 * that.
 */
@Injectable()
export class RemovalGuard implements CanActivate {
  constructor(
    private readonly routes: RouteTable,
    private readonly deprecations: Deprecations,
    private readonly metrics: Metrics,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const route = this.routes.ofHandler(context.getClass(), context.getHandler());
    if (route?.deprecated === undefined) return true;
    if (this.deprecations.isRemoved(route)) throw new ApiError(coreErrors.operationRemoved);
    this.metrics.deprecatedRequests.inc({ http_route: route.path });
    return true;
  }
}
