import type { INestApplication } from '@nestjs/common';
import { CONFIG, type Config } from '../config/index.js';
import type { Feature } from '../feature.js';
import { Deprecations, PublicUrls, RouteTable, type Announcement, type Route } from '../routing/index.js';

/** What the documentation says about the whole product, above its features. */
export interface Product {
  readonly name: string;
  /** The version of the interface description, not of the package. */
  readonly version: string;
  /** Whom users of the API ask: a URL, also of the scheme `mailto`. */
  readonly contact?: string | undefined;
  readonly licence: { readonly name: string; readonly identifier: string };
}

export const animalStore: Product = {
  name: 'Animal Store',
  version: '1.0.0',
  licence: { name: 'MIT', identifier: 'MIT' },
};

/** The product, with the contact of whoever runs it. */
export function productOf(application: INestApplication): Product {
  return { ...animalStore, contact: application.get<Config>(CONFIG).docs.contact };
}

/** One entry of a document's `servers`; the url ends in `/v1`, without a trailing slash. */
export interface DocumentServer {
  readonly url: string;
  readonly description: string;
}

/** Servers for a document without a configured deployment: names that belong to nobody (RFC 2606). */
const exampleServers = {
  production: 'https://animal-store.example/v1',
  staging: 'https://staging.animal-store.example/v1',
};

/** The servers of a running service: Production as clients know it, Staging where one is configured. */
export function servingServers(
  production: string,
  staging: string | undefined,
  description = 'Production',
): DocumentServer[] {
  const servers = [{ url: production, description }];
  return staging === undefined ? servers : [...servers, { url: staging, description: 'Staging' }];
}

/** The servers of a document that is printed: as configured, with example names in place of what is not. */
export function printedServers(production: string | undefined, staging: string | undefined): DocumentServer[] {
  return servingServers(production ?? exampleServers.production, staging ?? exampleServers.staging);
}

/** What a document is made of. */
export interface DocumentSource {
  readonly application: INestApplication;
  readonly product: Product;
  readonly features: readonly Feature[];
  readonly routes: readonly Route[];
  readonly servers: readonly DocumentServer[];
  /** The addresses of the first of the servers. */
  readonly urls: PublicUrls;
  /** What the answers of a deprecated route say of that. */
  readonly announcementOf: (route: Route) => Announcement | undefined;
  /** The moment from which a deprecated route answers 410, in milliseconds since the epoch, wherever it was moved to. */
  readonly sunsetOf: (route: Route) => number | undefined;
}

/** What the document of an application is made of, one that serves or one that only prints it. */
export function documentSource(
  application: INestApplication,
  features: readonly Feature[],
  servers: readonly DocumentServer[],
): DocumentSource {
  const deprecations = application.get(Deprecations);
  const urls = new PublicUrls(servers[0]?.url);
  return {
    application,
    product: productOf(application),
    features,
    routes: application.get(RouteTable).all(),
    servers,
    urls,
    sunsetOf: (route) => deprecations.sunsetOf(route),
    announcementOf: (route) => route.deprecated && deprecations.announcementOf(route, route.deprecated, urls),
  };
}
