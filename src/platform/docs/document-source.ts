import type { INestApplication } from '@nestjs/common';
import { CONFIG, type Config } from '../config/index.js';
import type { Feature } from '../feature.js';
import { Deprecations, PublicUrls, RouteTable, type Announcement, type Route } from '../routing/index.js';

/** The product as the OpenAPI document describes it. */
export interface Product {
  readonly name: string;
  /** The version of the interface description, not of the package. */
  readonly version: string;
  /** The URL at which users of the API reach its operator. `mailto:` is allowed. */
  readonly contact?: string | undefined;
  readonly licence: { readonly name: string; readonly identifier: string };
}

export const animalStore: Product = {
  name: 'Animal Store',
  version: '1.0.0',
  licence: { name: 'MIT', identifier: 'MIT' },
};

/** The product, with the contact from the configuration. */
export function productOf(application: INestApplication): Product {
  return { ...animalStore, contact: application.get<Config>(CONFIG).docs.contact };
}

/** One entry of a document's `servers`. The url ends in `/v1`, without a trailing slash. */
export interface DocumentServer {
  readonly url: string;
  readonly description: string;
}

/** Example servers for a document without a configured deployment. Nobody owns these names (RFC 2606). */
const exampleServers = {
  production: 'https://animal-store.example/v1',
  staging: 'https://staging.animal-store.example/v1',
};

/** The servers of a running service: its public address, and Staging if one is configured. */
export function servingServers(
  production: string,
  staging: string | undefined,
  description = 'Production',
): DocumentServer[] {
  const servers = [{ url: production, description }];
  return staging === undefined ? servers : [...servers, { url: staging, description: 'Staging' }];
}

/** The servers of a printed document: the configured ones, and example names for those that are not configured. */
export function printedServers(production: string | undefined, staging: string | undefined): DocumentServer[] {
  return servingServers(production ?? exampleServers.production, staging ?? exampleServers.staging);
}

/** Everything that `buildOpenApiDocument` reads. */
export interface DocumentSource {
  readonly application: INestApplication;
  readonly product: Product;
  readonly features: readonly Feature[];
  readonly routes: readonly Route[];
  readonly servers: readonly DocumentServer[];
  /** The addresses under the first server. */
  readonly urls: PublicUrls;
  /** The headers by which a deprecated route announces its deprecation. */
  readonly announcementOf: (route: Route) => Announcement | undefined;
  /**
   * The moment from which a deprecated route answers 410, with moves by the operator applied. Milliseconds since the
   * Unix epoch.
   */
  readonly sunsetOf: (route: Route) => number | undefined;
}

/** Collects the source of a document, from an application that serves or one that only prints the document. */
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
