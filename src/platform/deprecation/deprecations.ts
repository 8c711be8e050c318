import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../clock.js';
import { CONFIG, type Config } from '../config/index.js';
import { PublicUrls, RouteTable, type Route } from '../routing/index.js';

/** What clients are told of a deprecated operation, and until when it works. */
@Injectable()
export class Deprecations {
  constructor(
    private readonly clock: Clock,
    private readonly routes: RouteTable,
    private readonly urls: PublicUrls,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** The moment from which a route answers 410, in milliseconds since the epoch; undefined where it is not deprecated. */
  sunsetOf(route: Route): number | undefined {
    if (route.deprecated === undefined) return undefined;
    const moved = this.config.sunsets.get(constantCase(route.operationId));
    return moved?.getTime() ?? Date.parse(route.deprecated.sunset);
  }

  isRemoved(route: Route): boolean {
    const sunset = this.sunsetOf(route);
    return sunset !== undefined && this.clock.now() >= sunset;
  }

  /** Puts `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and the links on whatever the exchange will answer. */
  announce(answered: Announced, route: Route): void {
    const sunset = this.sunsetOf(route);
    if (route.deprecated === undefined || sunset === undefined) return;
    answered.headers['Deprecation'] = `@${Date.parse(route.deprecated.since) / 1000}`;
    answered.headers['Sunset'] = new Date(sunset).toUTCString();
    answered.links.push(`<${this.urls.docs}#${route.operationId}>; rel="deprecation"; type="text/html"`);
    const successor = this.routes.ofOperation(route.deprecated.successor);
    if (successor) answered.links.push(`<${this.urls.of(successor.path)}>; rel="successor-version"`);
  }
}

/** A warning for each `<OPERATION_ID>_SUNSET` that moves nothing, such as one of a feature that is not there. */
export function warnOfUnknownSunsets(sunsets: Config['sunsets'], routes: readonly Route[]): string[] {
  const known = routes
    .filter((route) => route.deprecated !== undefined)
    .map((route) => constantCase(route.operationId));
  return [...sunsets.keys()]
    .filter((operation) => !known.includes(operation))
    .map((operation) => `${operation}_SUNSET is the date of no deprecated operation.`);
}

/** The part of an exchange that a deprecation is announced on. */
export interface Announced {
  readonly headers: Record<string, string>;
  readonly links: string[];
}

/** `getPet` → `GET_PET` */
function constantCase(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase();
}
