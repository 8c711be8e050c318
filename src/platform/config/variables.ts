import type { CleanedEnv } from 'envalid';
import { DAY_MS } from '../time.js';
import { OPTIMIZATIONS } from '../optimizations.js';
import { databaseUrl } from './database-target.js';
import * as kinds from './value-kinds.js';

const environment = kinds.oneOf('production', 'development', 'test');
const logLevel = kinds.oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent');
const logFormat = kinds.oneOf('pretty', 'json');
const migrations = kinds.oneOf('run', 'check', 'off');
const tlsMode = kinds.oneOf('disable', 'verify-ca', 'verify-identity');
const causalReads = kinds.oneOf('off', 'galera');
const optimizations = kinds.someOf(...OPTIMIZATIONS);
const port = kinds.integer(0, 65_535);
// Milliseconds: at most ten minutes; for `shortPause` one minute, for `age` one day.
const duration = kinds.integer(1, 600_000);
const pause = kinds.integer(0, 600_000);
const shortPause = kinds.integer(0, 60_000);
const age = kinds.integer(1, DAY_MS);
// At least an hour, longer than any request: a record must not expire during its request.
const retention = kinds.integer(3_600_000, 30 * DAY_MS);
const count = kinds.integer(0, 1_000_000);

/*
 * Every variable of the platform, with its name, accepted values, meaning and default. `devDefault` applies outside
 * production. If `default` is undefined, the variable may be unset. Without `default`, the variable is required in
 * production.
 */
const general = {
  NODE_ENV: environment({
    default: 'development',
    desc: 'The environment of this process; several defaults depend on it',
  }),
  LOG_LEVEL: logLevel({ default: 'info', desc: 'The lowest level that is logged' }),
  LOG_FORMAT: logFormat({
    default: undefined,
    desc: 'Format of log lines; unset: pretty on a terminal, otherwise json',
  }),
  FEATURES_OFF: kinds.featureNames({
    default: undefined,
    example: 'orders,adoptions',
    desc: 'Features that are not started; their tables stay as they are; unset: none',
  }),
  DOCS_ENABLED: kinds.boolean({ default: true, desc: 'Whether /docs, /openapi.json and /openapi.yaml are served' }),
  DOCS_CONTACT: kinds.contact({
    default: undefined,
    example: 'https://support.example.com',
    desc: 'Contact for users of the API, shown at /docs and in info.contact; unset: none',
  }),
};

const http = {
  HOST: kinds.host({ default: '0.0.0.0', desc: 'Address that both ports listen on' }),
  PORT: port({ default: 3000, desc: 'Port of the API; 0: any free port' }),
  PUBLIC_BASE_URL: kinds.baseUrl({
    devDefault: undefined,
    example: 'https://api.example.com/v1',
    desc: 'URL at which clients reach the API; unset: http://localhost:PORT/v1',
  }),
  STAGING_BASE_URL: kinds.baseUrl({
    default: undefined,
    example: 'https://staging.example.com/v1',
    desc: 'The staging server that the OpenAPI document lists; unset: none',
  }),
  REQUEST_DEADLINE_MS: duration({
    default: 3000,
    desc: 'Time to answer one request; at least DATABASE_ACQUIRE_TIMEOUT_MS plus DATABASE_QUERY_TIMEOUT_MS',
  }),
  HTTP_HEADERS_TIMEOUT_MS: duration({
    default: 5000,
    desc: 'Time for the headers of a request to arrive; at most HTTP_REQUEST_TIMEOUT_MS',
  }),
  HTTP_REQUEST_TIMEOUT_MS: duration({ default: 10_000, desc: 'Time for a whole request to arrive' }),
  HTTP_KEEP_ALIVE_TIMEOUT_MS: duration({
    default: 65_000,
    desc: 'Time that an idle connection stays open; should exceed the idle timeout of the load balancer',
  }),
  HTTP_BODY_LIMIT_BYTES: kinds.integer(1, 104_857_600)({ default: 16_384, desc: 'Largest request body' }),
  HTTP_MAX_CONNECTIONS: kinds.integer(1, 1_000_000)({ default: 2000, desc: 'Maximum number of open connections' }),
  TRUST_PROXY: kinds.proxies({ default: 0, desc: 'Proxies in front whose X-Forwarded-For is trusted; 0: none' }),
  CORS_ORIGINS: kinds.origins({
    default: undefined,
    example: 'https://app.example.com',
    desc: 'Origins whose pages may call the API; unset: none',
  }),
  SHED_MAX_INFLIGHT: count({
    default: 200,
    desc: 'Maximum number of requests in progress; further requests get 503; 0: off',
  }),
  SHED_LOOP_DELAY_MS: shortPause({
    default: 150,
    desc: 'Requests get 503 from this delay of the event loop on; 0: off',
  }),
};

const keysAndLimits = {
  API_KEYS_FILE: kinds.readableFile({
    default: undefined,
    example: '/run/secrets/api-keys.json',
    desc: 'A file of API keys besides those in the database; unset: none',
  }),
  API_KEY_CACHE_TTL_MS: shortPause({ default: 5000, desc: 'Time that a revoked key may still be accepted' }),
  AUTH_FAILURES_PER_MINUTE: count({
    default: 20,
    desc: 'Failed authentications per source address before 429; 0: off',
  }),
  RATE_LIMIT_PER_MINUTE: count({ default: 6000, desc: 'Requests per client before 429; 0: off' }),
  IDEMPOTENCY_RETENTION_MS: retention({
    default: DAY_MS,
    desc: 'How long the answer to a request with Idempotency-Key is kept for repeats',
  }),
  REDIS_URL: kinds.redisUrl({
    default: undefined,
    example: 'redis://localhost:6379',
    desc: 'Shares rate limits between replicas; unset: each replica counts alone',
  }),
};

const database = {
  DATABASE_URL: databaseUrl({
    devDefault: { kind: 'sqlite', path: './data/animal-store.sqlite' },
    desc: 'The database: a MySQL or MariaDB server, or an SQLite file',
  }),
  MIGRATIONS: migrations({
    default: 'check',
    devDefault: 'run',
    desc: 'At start: run pending migrations; or stay unready while there are any; or neither',
  }),
  DATABASE_POOL_SIZE: kinds.integer(1, 100)({ default: 10, desc: 'Connections per replica' }),
  DATABASE_MAX_WAITERS: kinds.integer(
    0,
    1000,
  )({ default: 100, desc: 'Maximum number of requests that wait for a connection' }),
  DATABASE_ACQUIRE_TIMEOUT_MS: duration({ default: 500, desc: 'Time to wait for a connection of the pool' }),
  DATABASE_CONNECT_TIMEOUT_MS: duration({ default: 2000, desc: 'Time to open a connection' }),
  DATABASE_QUERY_TIMEOUT_MS: duration({
    default: 1500,
    desc: 'Time for one query; after it, the connection is destroyed',
  }),
  DATABASE_CONNECTION_MAX_AGE_MS: age({
    default: 300_000,
    desc: 'Age at which a connection is replaced; after this time a failover or a rotated secret has taken effect',
  }),
  DATABASE_TLS_MODE: tlsMode({
    default: 'verify-identity',
    devDefault: 'disable',
    desc: 'TLS to the database, and how the certificate of the server is checked',
  }),
  DATABASE_TLS_CA_FILE: kinds.readableFile({
    default: undefined,
    example: '/run/secrets/database-ca.pem',
    desc: 'Certificate authorities that are trusted for the database; unset: those of Node.js',
  }),
  DATABASE_TLS_CERT_FILE: kinds.readableFile({
    default: undefined,
    example: '/run/secrets/database-client.pem',
    desc: 'Client certificate for the database, together with DATABASE_TLS_KEY_FILE; unset: none',
  }),
  DATABASE_TLS_KEY_FILE: kinds.readableFile({
    default: undefined,
    example: '/run/secrets/database-client-key.pem',
    desc: 'Key of the client certificate; unset: none',
  }),
  DATABASE_CAUSAL_READS: causalReads({
    default: 'off',
    desc: 'galera: a read waits until its node has caught up (wsrep_sync_wait=1)',
  }),
};

const operations = {
  MANAGEMENT_PORT: port({ default: 9090, desc: 'Port of probes and metrics; 0: any free port' }),
  METRICS_ENABLED: kinds.boolean({ default: true, desc: 'Whether /metrics is served on the management port' }),
  READINESS_CHECKS_DATABASE: kinds.boolean({ default: true, desc: 'Whether /readyz fails without a usable database' }),
  LIVENESS_MAX_STALL_MS: duration({ default: 10_000, desc: 'Time the event loop may block before /livez fails' }),
  STARTUP_TIMEOUT_MS: duration({ default: 20_000, desc: 'Time for features to start, without the database wait' }),
  SHUTDOWN_DELAY_MS: pause({
    default: 5000,
    devDefault: 0,
    desc: 'Time after SIGTERM in which requests are still accepted, until load balancers send no more',
  }),
  SHUTDOWN_TIMEOUT_MS: pause({
    default: 15_000,
    desc: 'Time after SHUTDOWN_DELAY_MS for requests in progress, before they are cut off',
  }),
  OPTIMIZATIONS_OFF: optimizations({
    default: undefined,
    example: 'batching,plain-handlers',
    desc: 'Optimizations to switch off, to see whether one of them causes a problem; answers stay the same; unset: none',
  }),
  OTEL_SDK_DISABLED: kinds.openTelemetryBoolean({
    default: true,
    desc: 'false: traces are exported; every other OTEL_ variable is as OpenTelemetry defines it',
  }),
};

export const variables = { ...general, ...http, ...keysAndLimits, ...database, ...operations };

/** The same variables under the headings of the documentation, in its order. */
export const sections = {
  General: general,
  HTTP: http,
  'Keys and limits': keysAndLimits,
  Database: database,
  Operation: operations,
};

export function isPlatformVariable(name: string): boolean {
  return Object.hasOwn(variables, name);
}

export type VariableName = keyof typeof variables;

/** The parsed values, before `groupValues`. */
export type Values = CleanedEnv<typeof variables>;
