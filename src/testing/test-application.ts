import type { InjectionToken, Type } from '@nestjs/common';
import type { Server } from 'node:http';
import { DataSource } from 'typeorm';
import { createApplication, logContext, type CreateNest } from '../application.js';
import { ApiKeyStore, EVERYTHING } from '../platform/auth/index.js';
import { Clock } from '../platform/time.js';
import { loadConfig, type Config } from '../platform/config/index.js';
import type { Feature } from '../platform/feature.js';
import type { Application } from '../platform/lifecycle/index.js';
import { createLog, type Log } from '../platform/logging/index.js';
import { type Route, RouteTable } from '../platform/routing/index.js';
import { version } from '../platform/version.js';
import { TestClient } from './test-client.js';
import { createTestDatabase, emptyTables, type TestDatabase } from './test-database.js';

export interface TestOptions {
  readonly features: readonly Feature[];
  /**
   * Environment variables, which take precedence over those of the kit. Nothing else of the process's environment is
   * read.
   */
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  /**
   * A MySQL or MariaDB server, `mysql://LOGIN:PASSWORD@HOST:PORT`. The login must be allowed to create databases. The
   * application gets its own database there, which is dropped when it stops. Default, and if empty: a database in
   * memory.
   */
  readonly server?: string | undefined;
  /** Providers that replace those with the same token, of a feature or of the platform. */
  readonly overrides?: readonly ProviderOverride[];
}

/** A replacement for a provider during a test. */
export type ProviderOverride = { readonly provide: InjectionToken } & (
  { readonly useValue: unknown } | { readonly useClass: Type }
);

/** Any free ports, no limits that a test could exceed, and only errors in the log. */
const ENVIRONMENT = {
  NODE_ENV: 'test',
  HOST: '127.0.0.1',
  PORT: '0',
  MANAGEMENT_PORT: '0',
  LOG_LEVEL: 'error',
  // Long timeouts, for a busy machine.
  DATABASE_ACQUIRE_TIMEOUT_MS: '20000',
  DATABASE_QUERY_TIMEOUT_MS: '20000',
  REQUEST_DEADLINE_MS: '50000',
  AUTH_FAILURES_PER_MINUTE: '0',
  RATE_LIMIT_PER_MINUTE: '0',
  SHED_LOOP_DELAY_MS: '0',
};

/**
 * Starts the application with these features, migrated and ready, on its own empty database.
 *
 * @throws {FeatureError} with every violation of every feature.
 * @throws {ConfigError} if a variable in `env` is invalid.
 */
export async function startTestApplication(options: TestOptions): Promise<TestApplication> {
  const database = await createTestDatabase(options.server);
  let running: Application | undefined;
  try {
    running = await create(options, database);
    await running.start();
    await running.ready();
    return new TestApplication(running, database, await newKey(running, [EVERYTHING]));
  } catch (error) {
    // A second failure must not hide the first one.
    await end(running, database).catch(() => undefined);
    throw error;
  }
}

async function create({ features, env, clock, overrides = [] }: TestOptions, database: TestDatabase) {
  const config = loadConfig({ ...ENVIRONMENT, DATABASE_URL: database.url, ...env }, false, features);
  const log = await quietLog(config, features);
  const create = overrides.length > 0 ? { create: overriding(overrides) } : {};
  return createApplication({ features, config, log, ...(clock && { clock }), ...create });
}

async function end(running: Application | undefined, database: TestDatabase): Promise<void> {
  try {
    await running?.stop();
  } finally {
    await database.drop();
  }
}

/** Creates the application through @nestjs/testing, with the overrides. */
function overriding(overrides: readonly ProviderOverride[]): CreateNest {
  return async (root, adapter, options) => {
    const { Test } = await import('@nestjs/testing');
    const builder = Test.createTestingModule({ imports: [root] });
    for (const { provide, ...stand } of overrides) {
      const overridden = builder.overrideProvider(provide);
      if ('useClass' in stand) overridden.useClass(stand.useClass);
      else overridden.useValue(stand.useValue);
    }
    return (await builder.compile()).createNestApplication(adapter, options);
  };
}

/** The log of the service, but LOG_LEVEL also applies to the audit lines of keys: tests create and refuse many keys. */
async function quietLog(config: Config, features: readonly Feature[]): Promise<Log> {
  const log = await createLog({ ...config.log, version, context: logContext(features) });
  log.onChild = (child) => {
    child.level = config.log.level;
  };
  return log;
}

/** An application under test, and clients for it. */
export class TestApplication {
  /** A client whose key has every scope. */
  readonly client: TestClient;
  /** A client without a key. */
  readonly anonymous: TestClient;

  /** @internal */
  constructor(
    private readonly running: Application,
    private readonly ownDatabase: TestDatabase,
    /** The key of `client`, for other HTTP clients such as supertest. */
    readonly key: string,
  ) {
    this.client = new TestClient(running.url, key);
    this.anonymous = new TestClient(running.url);
  }

  /** `http://127.0.0.1:PORT`, without `/v1`. */
  get url(): string {
    return this.running.url;
  }

  /** The base URL of probes and metrics. */
  get managementUrl(): string {
    return this.running.managementUrl;
  }

  /** The listening server, for example for supertest: `request(application.getHttpServer())`. */
  getHttpServer(): Server {
    return this.running.nest.getHttpServer() as Server;
  }

  /** A client whose key has exactly these scopes. */
  async clientWith(...scopes: readonly string[]): Promise<TestClient> {
    return new TestClient(this.url, await newKey(this.running, scopes));
  }

  /** The data source, to prepare a test or to read what was stored. */
  get dataSource(): DataSource {
    return this.get(DataSource);
  }

  /** A provider of a feature or of the platform, by its token. */
  get<T>(token: InjectionToken<T>): T {
    return this.running.nest.get<T>(token, { strict: false });
  }

  /** @internal */
  routesOf(feature: Feature): readonly Route[] {
    const routes = this.running.nest.get(RouteTable).all();
    return routes.filter((route) => route.feature === feature.name);
  }

  /**
   * Empties all tables except the keys, and ids begin at 1 again, so that each test begins with the same state. It also
   * deletes rows that migrations inserted.
   */
  async reset(): Promise<void> {
    await emptyTables(this.get(DataSource));
  }

  /** Stops the application and drops its database. */
  async stop(): Promise<void> {
    await end(this.running, this.ownDatabase);
  }
}

async function newKey(running: Application, scopes: readonly string[]): Promise<string> {
  const keys = running.nest.get(ApiKeyStore, { strict: false });
  return (await keys.create({ client: 'test', scopes, expiresAt: undefined })).text;
}

/** A clock that stands still until a test advances it. */
export class FixedClock extends Clock {
  private time: number;

  /** @param instant an ISO 8601 instant, e.g. `2030-12-05T00:00:00Z`. */
  constructor(instant: string) {
    super();
    this.time = Date.parse(instant);
    if (Number.isNaN(this.time)) throw new TypeError(`'${instant}' is not an ISO 8601 date`);
  }

  now(): number {
    return this.time;
  }

  advance(milliseconds: number): void {
    this.time += milliseconds;
  }
}
