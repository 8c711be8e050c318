import { describe, expect, it } from '@jest/globals';
import { ConfigError, loadConfig } from './index.js';

const production = {
  NODE_ENV: 'production',
  PUBLIC_BASE_URL: 'https://api.example.com/v1',
  DATABASE_URL: 'mysql://app:pw@db.internal:3307/pets',
};

function errorOf(env: NodeJS.ProcessEnv): ConfigError {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('The environment was accepted');
}

/** The name and reason of each fault; empty if the environment is accepted. */
function faultsOf(env: NodeJS.ProcessEnv): [string, string][] {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    return (error as ConfigError).faults.map(({ name, reason }) => [name, reason]);
  }
}

describe('defaults', () => {
  it('are those of development in an empty environment', () => {
    const { settings, warnings, sunsets, featureValues, ...config } = loadConfig({}, false);
    expect(config).toEqual({
      env: 'development',
      http: {
        host: '0.0.0.0',
        port: 3000,
        publicBaseUrl: undefined,
        stagingBaseUrl: undefined,
        requestDeadlineMs: 3000,
        headersTimeoutMs: 5000,
        requestTimeoutMs: 10_000,
        keepAliveTimeoutMs: 65_000,
        bodyLimitBytes: 16_384,
        maxConnections: 2000,
        trustProxy: 0,
        corsOrigins: [],
      },
      management: { port: 9090, livenessMaxStallMs: 10_000, readinessChecksDatabase: true },
      database: {
        target: { kind: 'sqlite', path: './data/animal-store.sqlite' },
        urlFile: undefined,
        poolSize: 10,
        maxWaiters: 100,
        acquireTimeoutMs: 500,
        connectTimeoutMs: 2000,
        queryTimeoutMs: 1500,
        connectionMaxAgeMs: 300_000,
        tls: { mode: 'disable', caFile: undefined, certFile: undefined, keyFile: undefined },
        causalReads: 'off',
      },
      featuresOff: [],
      migrations: 'run',
      auth: { failuresPerMinute: 20, keysFile: undefined, cacheTtlMs: 5000 },
      idempotency: { retentionMs: 86_400_000 },
      limits: { perMinute: 6000, redisUrl: undefined },
      shed: { maxInflight: 200, loopDelayMs: 150 },
      startup: { timeoutMs: 20_000 },
      shutdown: { delayMs: 0, timeoutMs: 15_000 },
      log: { level: 'info', format: 'json' },
      docs: { enabled: true },
      metrics: { enabled: true },
      optimizationsOff: [],
      otel: { disabled: true, variables: {} },
    });
    expect(warnings).toEqual([]);
    expect(sunsets.size).toBe(0);
    expect(featureValues.size).toBe(0);
    expect(new Set(settings.map(({ source }) => source))).toEqual(new Set(['default']));
  });

  it.each<[string, Partial<Record<string, string>>, unknown]>([
    ['production', production, ['check', 'verify-identity', 5000]],
    ['development', {}, ['run', 'disable', 0]],
    ['test', { NODE_ENV: 'test' }, ['run', 'disable', 0]],
  ])('of migrations, TLS and the shutdown delay are those of %s', (_name, env, expected) => {
    const { migrations, database, shutdown } = loadConfig(env);
    expect([migrations, database.tls.mode, shutdown.delayMs]).toEqual(expected);
  });

  it('include no database and no public address in production', () => {
    expect(errorOf({ NODE_ENV: 'production' }).faults).toEqual([
      { name: 'PUBLIC_BASE_URL', reason: 'is required in production' },
      { name: 'DATABASE_URL', reason: 'is required in production' },
    ]);
  });

  it('hold for empty variables too', () => {
    expect(loadConfig({ PORT: '', NODE_ENV: '', DATABASE_URL: '', DATABASE_URL_FILE: '', GET_PET_SUNSET: '' })).toEqual(
      loadConfig({}),
    );
  });

  it('make the log pretty on a terminal only, and never against LOG_FORMAT', () => {
    expect(loadConfig({}, true).log.format).toBe('pretty');
    expect(loadConfig({}, false).log.format).toBe('json');
    expect(loadConfig({ LOG_FORMAT: 'json' }, true).log.format).toBe('json');
  });
});

describe('the configuration', () => {
  it('is frozen all the way down', () => {
    const config = loadConfig({ TRUST_PROXY: '10.0.0.0/8' });
    const parts = [config, config.http, config.database, config.database.tls, config.database.target, config.settings];
    expect(parts.every(Object.isFrozen)).toBe(true);
    expect(Object.isFrozen(config.http.trustProxy)).toBe(true);
  });

  it('takes every group from its own variables', () => {
    const ca = import.meta.filename;
    const config = loadConfig({
      ...production,
      HOST: '::1',
      STAGING_BASE_URL: 'https://staging.example.com/v1',
      CORS_ORIGINS: 'https://a.example, http://localhost:8080',
      DATABASE_TLS_CA_FILE: ca,
      DATABASE_TLS_CERT_FILE: ca,
      DATABASE_TLS_KEY_FILE: ca,
      DATABASE_CAUSAL_READS: 'galera',
      API_KEYS_FILE: ca,
      REDIS_URL: 'rediss://cache:6380/1',
      METRICS_ENABLED: 'false',
      OTEL_SDK_DISABLED: 'FALSE',
      OTEL_SERVICE_NAME: 'pets',
    });
    expect(config.http).toMatchObject({
      host: '::1',
      publicBaseUrl: 'https://api.example.com/v1',
      stagingBaseUrl: 'https://staging.example.com/v1',
      corsOrigins: ['https://a.example', 'http://localhost:8080'],
    });
    expect(config.database).toMatchObject({
      target: { kind: 'mysql', host: 'db.internal', port: 3307, user: 'app', password: 'pw', database: 'pets' },
      tls: { mode: 'verify-identity', caFile: ca, certFile: ca, keyFile: ca },
      causalReads: 'galera',
    });
    expect([config.auth.keysFile, config.limits.redisUrl]).toStrictEqual([ca, 'rediss://cache:6380/1']);
    expect([config.docs.enabled, config.metrics.enabled]).toEqual([true, false]);
    expect(config.otel).toEqual({
      disabled: false,
      variables: { OTEL_SDK_DISABLED: 'FALSE', OTEL_SERVICE_NAME: 'pets' },
    });
  });

  it('collects the sunset of any operation', () => {
    const { sunsets } = loadConfig({ GET_PET_SUNSET: '2031-06-30', LIST_ORDERS_SUNSET: '2028-02-29' });
    expect(sunsets).toEqual(
      new Map([
        ['GET_PET', new Date('2031-06-30T00:00:00Z')],
        ['LIST_ORDERS', new Date('2028-02-29T00:00:00Z')],
      ]),
    );
  });
});

describe('faults', () => {
  it('are told all at once, each by its name, in the order of the documentation', () => {
    const { faults, message } = errorOf({
      NODE_ENV: 'production',
      PORT: '65536',
      PUBLIC_BASE_URL: 'https://api.example.com/v1/',
      DATABASE_URL_FILE: '/nonexistent/url',
      DATABASE_POOL_SIZE: '0',
      DOCS_ENABLED: 'yes',
      TRUST_PROXY: '10.0.0.0/33',
      MANAGEMENT_PORT: '+9090',
      GET_PET_SUNSET: '2030-02-30',
    });
    const names = [
      'DOCS_ENABLED',
      'PORT',
      'PUBLIC_BASE_URL',
      'TRUST_PROXY',
      'DATABASE_URL_FILE',
      'DATABASE_POOL_SIZE',
      'MANAGEMENT_PORT',
      'GET_PET_SUNSET',
    ];
    expect(faults.map(({ name }) => name)).toEqual(names);
    const [first, ...rest] = message.split('\n');
    expect(first).toBe('The configuration has 8 faults:');
    expect(rest.map((line) => line.trim().split(':')[0])).toStrictEqual(names);
  });

  it('never repeat a value, whatever variable a secret was put into', () => {
    const secret = 'hunter2';
    const everywhere = Object.fromEntries(
      loadConfig({}).settings.map(({ name }) => [name, `mysql://root:${secret}@db:99999/a/b?${secret}`]),
    );
    const misplaced = {
      ...everywhere,
      X_SUNSET: secret,
      DATABASE_URL: '',
      DATABASE_URL_FILE: `mysql://u:${secret}@h/d`,
    };
    for (const env of [everywhere, misplaced, { ...production, REDIS_URL: `redis://:${secret}@h/x` }]) {
      const error = errorOf(env);
      expect(`${error.message}${JSON.stringify(error.faults)}${error.stack}`).not.toContain(secret);
    }
    expect(errorOf(everywhere).faults).toHaveLength(loadConfig({}).settings.length);
  });

  it('stop a process with EX_CONFIG', () => {
    expect(errorOf({ PORT: 'x' }).exitCode).toBe(78);
  });
});

describe('checks between variables', () => {
  it.each<[string, NodeJS.ProcessEnv, string | undefined]>([
    ['equal ports', { PORT: '8080', MANAGEMENT_PORT: '8080' }, 'MANAGEMENT_PORT'],
    ['PORT at the default of the other', { PORT: '9090' }, 'MANAGEMENT_PORT'],
    ['two free ports', { PORT: '0', MANAGEMENT_PORT: '0' }, undefined],
    ['a deadline of just acquire plus query', { REQUEST_DEADLINE_MS: '2000' }, undefined],
    ['a deadline a millisecond shorter', { REQUEST_DEADLINE_MS: '1999' }, 'REQUEST_DEADLINE_MS'],
    ['headers as slow as the request', { HTTP_HEADERS_TIMEOUT_MS: '10000' }, undefined],
    ['headers slower than the request', { HTTP_HEADERS_TIMEOUT_MS: '10001' }, 'HTTP_HEADERS_TIMEOUT_MS'],
    ['a faulty partner', { REQUEST_DEADLINE_MS: '1', DATABASE_QUERY_TIMEOUT_MS: 'x' }, 'DATABASE_QUERY_TIMEOUT_MS'],
  ])('%s', (_title, env, fault) => {
    expect(faultsOf(env).map(([name]) => name)).toEqual(fault === undefined ? [] : [fault]);
  });

  it('want a client certificate and its key together', () => {
    const pem = import.meta.filename;
    for (const alone of ['DATABASE_TLS_CERT_FILE', 'DATABASE_TLS_KEY_FILE']) {
      expect(faultsOf({ [alone]: pem })).toEqual([
        ['DATABASE_TLS_KEY_FILE', 'and DATABASE_TLS_CERT_FILE must be given together'],
      ]);
    }
    expect(faultsOf({ DATABASE_TLS_CERT_FILE: pem, DATABASE_TLS_KEY_FILE: pem })).toEqual([]);
  });
});
