import type { Config, DatabaseConfig, HttpConfig } from './config.js';
import { crossCheck } from './cross-checks.js';
import { unreadLines } from './environment.js';
import { featureNames, featureSettings, readFeatures, type Configured } from './feature-config.js';
import { FaultList } from './fault-list.js';
import { collectGiven } from './given-values.js';
import {
  openTelemetryFaults,
  openTelemetryNames,
  openTelemetrySettings,
  openTelemetryVariables,
  operationOf,
  sunsetVariables,
} from './pattern-variables.js';
import { readValues, settingsOf } from './read-values.js';
import { warnOfUnknown } from './unknown-variables.js';
import { variables, type Values } from './variables.js';

/**
 * Reads the whole configuration out of an environment.
 *
 * @param features whose variables are read too, unless they are off.
 * @param onTerminal whether a person reads the log as it is written; decides LOG_FORMAT where that is unset.
 * @throws {ConfigError} with the fault of every faulty variable, in the order of the documentation, and the warnings.
 */
export function loadConfig(
  env: NodeJS.ProcessEnv,
  onTerminal = process.stdout.isTTY,
  features: readonly Configured[] = [],
): Config {
  const sunsets = sunsetVariables(env);
  const names = [...Object.keys({ ...variables, ...sunsets }), ...featureNames(features)];
  const everyName = new Set([...names, ...openTelemetryNames(env)]);
  const { values: given, faults: unread } = collectGiven(env, everyName);

  const faults = new FaultList([...everyName]);
  faults.add(unread);
  const read = readValues(given, variables, faults);
  const dates = readValues(given, sunsets, faults);
  const featureValues = readFeatures(given, features, read.FEATURES_OFF ?? [], faults);
  const otel = openTelemetryVariables(given);
  if (!read.OTEL_SDK_DISABLED) faults.add(openTelemetryFaults(otel));
  faults.add(crossCheck(read, (name) => faults.has(name)));
  const warnings = [...unreadLines(env), ...warnOfUnknown(env, names)];
  faults.throwIfAny(warnings);

  const values = { ...read, LOG_FORMAT: read.LOG_FORMAT ?? (onTerminal ? 'pretty' : 'json') } as const;
  const groups = groupValues(values);
  return freeze({
    ...groups,
    database: { ...groups.database, urlFile: given.get('DATABASE_URL')?.file },
    log: { level: values.LOG_LEVEL, format: values.LOG_FORMAT },
    otel: { disabled: values.OTEL_SDK_DISABLED, variables: otel },
    sunsets: datesByOperation(dates),
    featureValues,
    settings: [
      ...settingsOf(variables, values, given),
      ...settingsOf(sunsets, dates, given),
      ...featureSettings(features, featureValues, given),
      ...openTelemetrySettings(given, names),
    ],
    warnings,
  });
}

type Single = Pick<Values, 'NODE_ENV' | 'LOG_FORMAT'>;

/**
 * One variable alone, for what needs nothing else of the configuration.
 *
 * @throws {ConfigError} for a value that is none.
 */
export function readVariable<Name extends keyof Single>(env: NodeJS.ProcessEnv, name: Name): Single[Name] {
  const { NODE_ENV, LOG_FORMAT } = variables;
  const { values: given, faults: unread } = collectGiven(env, [name]);
  const faults = new FaultList([name]);
  faults.add(unread);
  const read: Single = readValues(given, { NODE_ENV, LOG_FORMAT }, faults);
  faults.throwIfAny([]);
  return read[name];
}

function datesByOperation(dates: Readonly<Record<string, Date | undefined>>): Map<string, Date> {
  return new Map(Object.entries(dates).flatMap(([name, date]) => (date ? [[operationOf(name), date] as const] : [])));
}

/** Freezes plain objects and arrays all the way down. */
function freeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null && !Object.isFrozen(inner)) freeze(inner);
  }
  return Object.freeze(value);
}

type Groups = Omit<Config, 'database' | 'log' | 'otel' | 'sunsets' | 'featureValues' | 'settings' | 'warnings'> & {
  readonly database: Omit<DatabaseConfig, 'urlFile'>;
};

/** The values under the names by which the service speaks of them. */
function groupValues(values: Values): Groups {
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
