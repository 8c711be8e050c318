import type { Config, DatabaseConfig, HttpConfig } from './config.js';
import type { Values } from './variables.js';

type Groups = Omit<Config, 'database' | 'log' | 'otel' | 'sunsets' | 'featureValues' | 'settings' | 'warnings'> & {
  readonly database: Omit<DatabaseConfig, 'urlFile'>;
};

/** The values under the names by which the service speaks of them. */
export function groupValues(values: Values): Groups {
  return {
    env: values.NODE_ENV,
    http: groupHttp(values),
    management: {
      port: values.MANAGEMENT_PORT,
      livenessMaxStallMs: values.LIVENESS_MAX_STALL_MS,
      readinessChecksDatabase: values.READINESS_CHECKS_DATABASE,
    },
    database: groupDatabase(values),
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
    docs: { enabled: values.DOCS_ENABLED },
    metrics: { enabled: values.METRICS_ENABLED },
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

function groupDatabase(values: Values): Groups['database'] {
  return {
    target: values.DATABASE_URL,
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
