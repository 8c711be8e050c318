import 'reflect-metadata';
import {
  Module,
  type CanActivate,
  type INestApplication,
  type NestApplicationOptions,
  type Type,
} from '@nestjs/common';
import { ModulesContainer, NestFactory, type AbstractHttpAdapter } from '@nestjs/core';
import type { DataSource } from 'typeorm';
import { ApiKeyGuard, MiddlewareAccess } from './platform/auth/index.js';
import { SystemClock, type Clock } from './platform/time.js';
import { CONFIG, exposeFeatureValues, loadConfig, loadEnvironment, type Config } from './platform/config/index.js';
import { createDataSource, DatabaseLink, DatabaseOutages } from './platform/database/index.js';
import { documentSource, mountDocs, servingServers } from './platform/docs/index.js';
import {
  checkFeatures,
  declareFeatures,
  attributeToFeature,
  HookWatch,
  lineAttribution,
  readersOfEnvironment,
  startedFeatures,
} from './platform/feature-check/index.js';
import type { Feature } from './platform/feature.js';
import {
  BodyGuard,
  currentExchange,
  Deadline,
  ErrorFilter,
  ExchangeObserver,
  featurePipes,
  HttpAdapter,
  NegotiationGuard,
  plainHandlers,
  Responder,
  RouteGuard,
  Unmatched,
} from './platform/http/index.js';
import { putIdempotencyOutermost } from './platform/idempotency/index.js';
import { Running, type Application } from './platform/lifecycle/index.js';
import { Overload, RateLimitGuard } from './platform/limits/index.js';
import { createLog, NestLog, type Log } from './platform/logging/index.js';
import { FeatureMetrics, Metrics } from './platform/metrics/index.js';
import { turnOptimizationsOff } from './platform/optimizations.js';
import { PlatformModule, type CoreProviders } from './platform/platform.module.js';
import { PublicUrls, RemovalGuard, RouteTable, warnOfUnknownSunsets, type Route } from './platform/routing/index.js';
import { platformSchema } from './platform/schema.js';
import { RequestValidationPipe } from './platform/validation/index.js';
import { revision, version } from './platform/version.js';

export interface ApplicationOptions {
  readonly features: readonly Feature[];
  /** Default: the environment of the process and `.env`. */
  readonly config?: Config;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Default: a log that writes to standard output. */
  readonly log?: Log;
  /**
   * Creates the Nest application from its root module. Default: `NestFactory.create`.
   *
   * @internal
   */
  readonly create?: CreateNest;
}

/** Creates a Nest application, like `NestFactory.create`. */
export type CreateNest = (
  root: Type,
  adapter: AbstractHttpAdapter,
  options: NestApplicationOptions,
) => Promise<INestApplication>;

/**
 * Creates the application from the platform and these features. It does not listen or query the database yet.
 *
 * @throws {ConfigError} with every fault of the configuration.
 * @throws {FeatureError} with every violation of every feature.
 */
export async function createApplication({
  features: given,
  config = loadConfig(loadEnvironment(), process.stdout.isTTY, given),
  clock = new SystemClock(),
  log: ownLog,
  create = (...made) => NestFactory.create(...made),
}: ApplicationOptions): Promise<Application> {
  turnOptimizationsOff(config.optimizationsOff);
  const features = startedFeatures(given, config);
  const { routes, declared } = await checkFeatures(features, { ...platformSchema, version }, '/v1');
  putIdempotencyOutermost(routes);
  const metrics = new Metrics(version, revision);
  const onDrop = (): void => metrics.logDropped.inc();
  const log = ownLog ?? (await createLog({ ...config.log, version, context: logContext(features), onDrop }));
  for (const warning of [...config.warnings, ...warnOfUnknownSunsets(config.sunsets, routes)]) {
    log.warn({ event: 'config.warning' }, warning);
  }
  const sources = [platformSchema, ...declared];
  const observers = { metrics, log, outages: DatabaseOutages.of(log, config.database) };
  const dataSource = await attributeToFeature(features, createDataSource(config, sources, observers));
  const link = new DatabaseLink(dataSource, config, observers, sources);
  const names = features.map(({ name }) => name);
  const featureMetrics = new FeatureMetrics(metrics.registry, log, names);
  const core = { config, clock, log, dataSource, metrics, featureMetrics };
  const hooks = new HookWatch(declared);
  const restoreEnvironment = exposeFeatureValues(readersOfEnvironment(declared), config);
  const starting = hooks.within(config.startup.timeoutMs, assemble({ features, routes, hooks, create }, core));
  const running = attributeToFeature(features, starting).then(
    ({ nest, adapter }) => new Running(nest, adapter, link, { ...core, features, hooks, restoreEnvironment }),
  );
  return running.catch((error: unknown) => {
    restoreEnvironment();
    throw error;
  });
}

interface Declared {
  readonly features: readonly Feature[];
  readonly routes: readonly Route[];
  readonly hooks: HookWatch;
  readonly create: CreateNest;
}

async function assemble({ features, routes, hooks, create }: Declared, core: CoreProviders) {
  const adapter = new HttpAdapter(core.config);
  const nest = await create(rootModule(features, hooks, core), adapter, {
    bodyParser: false,
    abortOnError: false,
    logger: new NestLog(core.log),
  });
  if (adapter.hasHandlersBefore) throw hooks.addedHandlers();
  const table = nest.get(RouteTable);
  for (const route of routes) table.add(route);
  configureHttp(nest, adapter);
  const { docs, http } = core.config;
  // Without PUBLIC_BASE_URL the document describes a local server.
  const described = http.publicBaseUrl === undefined ? 'This server' : undefined;
  const servers = () => servingServers(nest.get(PublicUrls).base, http.stagingBaseUrl, described);
  if (docs.enabled) mountDocs(nest, () => documentSource(nest, features, servers()));
  return { nest, adapter };
}

function rootModule(features: readonly Feature[], hooks: HookWatch, core: CoreProviders): Type {
  @Module({
    imports: [PlatformModule.on(core), ...features.map((feature) => feature.module)],
    // Nest creates this provider early, before providers that may hang.
    providers: [
      { provide: HookWatch, inject: [ModulesContainer], useFactory: (all: ModulesContainer) => hooks.meet(all) },
    ],
  })
  class ApplicationModule {}
  return ApplicationModule;
}

/** Configures the steps of a request, in the order of the contract. Each step runs once. */
function configureHttp(nest: INestApplication, adapter: HttpAdapter): void {
  const config = nest.get<Config>(CONFIG);
  const observer = nest.get(ExchangeObserver);
  const overload = nest.get(Overload);
  const filter = nest.get(ErrorFilter);
  const responder = nest.get(Responder);
  const guards = [RouteGuard, ApiKeyGuard, RateLimitGuard, RemovalGuard, NegotiationGuard, BodyGuard].map((guard) =>
    nest.get<CanActivate>(guard),
  );
  const pipe = new RequestValidationPipe(featurePipes);
  const routes = nest.get(RouteTable).all();
  const deadlines = routes.map(({ deadlineMs = 0 }) => deadlineMs);
  adapter.connect({
    longestDeadlineMs: Math.max(config.http.requestDeadlineMs, ...deadlines),
    observer,
    deadline: nest.get(Deadline),
    overload: () => overload.faultAt(observer.workload.size),
    responder,
    unmatched: nest.get(Unmatched),
    filter,
    refusalOf: (exchange) => nest.get(MiddlewareAccess).refusalOf(exchange),
    plainHandlers: plainHandlers(nest.get(ModulesContainer), routes, { guards, pipe, responder, filter }),
  });
  nest.setGlobalPrefix('v1');
  nest.useGlobalGuards(...guards);
  nest.useGlobalPipes(pipe);
  nest.useGlobalFilters(filter);
}

/**
 * A data source for TypeORM's command line, with the entities of these features and the configured database. It is not
 * open yet: `typeorm migration:generate -d FILE` opens it, if FILE exports it.
 *
 * @throws {ConfigError} (rejects) with every fault of the configuration.
 * @throws {TypeORMError} (rejects) for an invalid entity.
 */
export async function featureDataSource(features: readonly Feature[]): Promise<DataSource> {
  const config = loadConfig(loadEnvironment(), false, features);
  return createDataSource(config, await declareFeatures(features));
}

/**
 * Returns the fields that a log line gets from its request: request id, trace and feature. Outside a request, the
 * feature is that of the logger's context.
 */
export function logContext(features: readonly Feature[]): (line: object) => object {
  const featureOf = lineAttribution(features);
  return (line) => {
    const { id, trace, route } = currentExchange() ?? {};
    const feature = route?.feature ?? featureOf((line as { readonly context?: unknown }).context);
    return {
      ...(id !== undefined && { request_id: id }),
      ...(trace !== undefined && { trace_id: trace.traceId, span_id: trace.spanId }),
      ...(feature !== undefined && { feature }),
    };
  };
}
