import type { DatabaseTarget } from './database-target.js';
import type { Values } from './variables.js';

/** The injection token of the configuration: `@Inject(CONFIG) config: Config`. */
export const CONFIG = Symbol('CONFIG');

/**
 * The whole configuration: parsed once at start, valid, frozen. Names that end in `Ms` are milliseconds, in `Bytes`
 * bytes. variables.ts gives the meaning and the bounds of each value.
 */
export interface Config {
  readonly env: 'production' | 'development' | 'test';
  readonly http: HttpConfig;
  readonly management: ManagementConfig;
  readonly database: DatabaseConfig;
  /** Names of features that are not started. */
  readonly featuresOff: readonly string[];
  readonly migrations: 'run' | 'check' | 'off';
  readonly auth: {
    /** 0: no limit. */
    readonly failuresPerMinute: number;
    readonly keysFile: string | undefined;
    readonly cacheTtlMs: number;
  };
  readonly idempotency: { readonly retentionMs: number };
  readonly limits: {
    /** Requests per client; 0: no limit. */
    readonly perMinute: number;
    /** May hold a password: never log it. */
    readonly redisUrl: string | undefined;
  };
  readonly shed: {
    /** 0: off. */
    readonly maxInflight: number;
    /** 0: off. */
    readonly loopDelayMs: number;
  };
  readonly startup: { readonly timeoutMs: number };
  readonly shutdown: { readonly delayMs: number; readonly timeoutMs: number };
  readonly log: {
    readonly level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
    readonly format: 'pretty' | 'json';
  };
  readonly docs: {
    readonly enabled: boolean;
    /** A URL, also of the scheme `mailto`. */
    readonly contact: string | undefined;
  };
  readonly metrics: { readonly enabled: boolean };
  /** Names of optimizations that are switched off. */
  readonly optimizationsOff: readonly string[];
  readonly otel: {
    readonly disabled: boolean;
    /** Every OTEL_ variable that is set, unchanged. May hold secrets: never log them. */
    readonly variables: Readonly<Record<string, string>>;
  };
  /**
   * The dates of `<OPERATION_ID>_SUNSET` variables, by the text before `_SUNSET`, e.g. `GET_PET`: the first instant of
   * that day in UTC.
   */
  readonly sunsets: ReadonlyMap<string, Date>;
  /** The values of the variables of each feature, by the KEY of its `defineConfig`. */
  readonly featureValues: ReadonlyMap<symbol, Readonly<Record<string, unknown>>>;
  /** Every variable with its effective value, as text for a person. Secrets are masked. */
  readonly settings: readonly Setting[];
  /** Probable mistakes that do not prevent the start, such as a misspelt variable. */
  readonly warnings: readonly string[];
}

export interface HttpConfig {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Absolute, ends in `/v1`. Undefined: `http://localhost:PORT/v1`, with the port that the server listens on. */
  readonly publicBaseUrl: string | undefined;
  readonly stagingBaseUrl: string | undefined;
  readonly requestDeadlineMs: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  readonly bodyLimitBytes: number;
  readonly maxConnections: number;
  /** A number of hops, or addresses and CIDR ranges: the forms of `trust proxy` in Express. */
  readonly trustProxy: number | readonly string[];
  /** Empty: CORS is off. */
  readonly corsOrigins: readonly string[];
}

export interface ManagementConfig {
  /** On the same host as the API. 0: any free port. */
  readonly port: number;
  readonly livenessMaxStallMs: number;
  readonly readinessChecksDatabase: boolean;
}

export interface DatabaseConfig {
  /** The target at the start. `currentDatabaseTarget` gives the target for new connections. */
  readonly target: DatabaseTarget;
  /** The file that DATABASE_URL was read from, if it was. */
  readonly urlFile: string | undefined;
  readonly poolSize: number;
  readonly maxWaiters: number;
  readonly acquireTimeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly queryTimeoutMs: number;
  readonly connectionMaxAgeMs: number;
  readonly tls: {
    readonly mode: 'disable' | 'verify-ca' | 'verify-identity';
    readonly caFile: string | undefined;
    readonly certFile: string | undefined;
    readonly keyFile: string | undefined;
  };
  readonly causalReads: 'off' | 'galera';
}

export interface Setting {
  readonly name: string;
  /** As text, secrets masked. Empty if the variable is unset. */
  readonly value: string;
  readonly source: 'default' | 'environment' | 'file';
}

type Groups = Omit<Config, 'log' | 'otel' | 'sunsets' | 'featureValues' | 'settings' | 'warnings'>;

/** Groups the values of the variables into the configuration. */
export function groupValues(values: Values, urlFile: string | undefined): Groups {
  return {
    env: values.NODE_ENV,
    http: groupHttp(values),
    management: {
      port: values.MANAGEMENT_PORT,
      livenessMaxStallMs: values.LIVENESS_MAX_STALL_MS,
      readinessChecksDatabase: values.READINESS_CHECKS_DATABASE,
    },
    database: groupDatabase(values, urlFile),
    featuresOff: values.FEATURES_OFF ?? [],
    migrations: values.MIGRATIONS,
    auth: {
      failuresPerMinute: values.AUTH_FAILURES_PER_MINUTE,
      keysFile: values.API_KEYS_FILE,
      cacheTtlMs: values.API_KEY_CACHE_TTL_MS,
    },
    idempotency: { retentionMs: values.IDEMPOTENCY_RETENTION_MS },
    limits: { perMinute: values.RATE_LIMIT_PER_MINUTE, redisUrl: values.REDIS_URL },
    shed: { maxInflight: values.SHED_MAX_INFLIGHT, loopDelayMs: values.SHED_LOOP_DELAY_MS },
    startup: { timeoutMs: values.STARTUP_TIMEOUT_MS },
    shutdown: { delayMs: values.SHUTDOWN_DELAY_MS, timeoutMs: values.SHUTDOWN_TIMEOUT_MS },
    docs: { enabled: values.DOCS_ENABLED, contact: values.DOCS_CONTACT },
    metrics: { enabled: values.METRICS_ENABLED },
    optimizationsOff: values.OPTIMIZATIONS_OFF ?? [],
  };
}

function groupHttp(values: Values): HttpConfig {
  return {
    host: values.HOST,
    port: values.PORT,
    publicBaseUrl: values.PUBLIC_BASE_URL,
    stagingBaseUrl: values.STAGING_BASE_URL,
    requestDeadlineMs: values.REQUEST_DEADLINE_MS,
    headersTimeoutMs: values.HTTP_HEADERS_TIMEOUT_MS,
    requestTimeoutMs: values.HTTP_REQUEST_TIMEOUT_MS,
    keepAliveTimeoutMs: values.HTTP_KEEP_ALIVE_TIMEOUT_MS,
    bodyLimitBytes: values.HTTP_BODY_LIMIT_BYTES,
    maxConnections: values.HTTP_MAX_CONNECTIONS,
    trustProxy: values.TRUST_PROXY,
    corsOrigins: values.CORS_ORIGINS ?? [],
  };
}

function groupDatabase(values: Values, urlFile: string | undefined): DatabaseConfig {
  return {
    target: values.DATABASE_URL,
    urlFile,
    poolSize: values.DATABASE_POOL_SIZE,
    maxWaiters: values.DATABASE_MAX_WAITERS,
    acquireTimeoutMs: values.DATABASE_ACQUIRE_TIMEOUT_MS,
    connectTimeoutMs: values.DATABASE_CONNECT_TIMEOUT_MS,
    queryTimeoutMs: values.DATABASE_QUERY_TIMEOUT_MS,
    connectionMaxAgeMs: values.DATABASE_CONNECTION_MAX_AGE_MS,
    tls: {
      mode: values.DATABASE_TLS_MODE,
      caFile: values.DATABASE_TLS_CA_FILE,
      certFile: values.DATABASE_TLS_CERT_FILE,
      keyFile: values.DATABASE_TLS_KEY_FILE,
    },
    causalReads: values.DATABASE_CAUSAL_READS,
  };
}
