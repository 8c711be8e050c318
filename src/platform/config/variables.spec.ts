import { describe, expect, it } from '@jest/globals';
import { loadConfig } from './index.js';
import { variables } from './variables.js';

/** Every numeric variable with its lowest and highest value. */
const bounds: readonly [name: string, min: number, max: number][] = [
  ['PORT', 0, 65_535],
  ['MANAGEMENT_PORT', 0, 65_535],
  ['REQUEST_DEADLINE_MS', 1, 600_000],
  ['HTTP_HEADERS_TIMEOUT_MS', 1, 600_000],
  ['HTTP_REQUEST_TIMEOUT_MS', 1, 600_000],
  ['HTTP_KEEP_ALIVE_TIMEOUT_MS', 1, 600_000],
  ['HTTP_BODY_LIMIT_BYTES', 1, 104_857_600],
  ['HTTP_MAX_CONNECTIONS', 1, 1_000_000],
  ['SHED_MAX_INFLIGHT', 0, 1_000_000],
  ['SHED_LOOP_DELAY_MS', 0, 60_000],
  ['API_KEY_CACHE_TTL_MS', 0, 60_000],
  ['AUTH_FAILURES_PER_MINUTE', 0, 1_000_000],
  ['RATE_LIMIT_PER_MINUTE', 0, 1_000_000],
  ['DATABASE_POOL_SIZE', 1, 100],
  ['DATABASE_MAX_WAITERS', 0, 1000],
  ['DATABASE_ACQUIRE_TIMEOUT_MS', 1, 600_000],
  ['DATABASE_CONNECT_TIMEOUT_MS', 1, 600_000],
  ['DATABASE_QUERY_TIMEOUT_MS', 1, 600_000],
  ['DATABASE_CONNECTION_MAX_AGE_MS', 1, 86_400_000],
  ['IDEMPOTENCY_RETENTION_MS', 3_600_000, 2_592_000_000],
  ['LIVENESS_MAX_STALL_MS', 1, 600_000],
  ['SHUTDOWN_DELAY_MS', 0, 600_000],
  ['SHUTDOWN_TIMEOUT_MS', 0, 600_000],
  ['STARTUP_TIMEOUT_MS', 1, 600_000],
];

const words: readonly [name: string, ...string[]][] = [
  ['NODE_ENV', 'development', 'test'],
  ['LOG_LEVEL', 'fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
  ['LOG_FORMAT', 'pretty', 'json'],
  ['MIGRATIONS', 'run', 'check', 'off'],
  ['DATABASE_TLS_MODE', 'disable', 'verify-ca', 'verify-identity'],
  ['DATABASE_CAUSAL_READS', 'off', 'galera'],
  ['DOCS_ENABLED', 'true', 'false'],
  ['METRICS_ENABLED', 'true', 'false'],
  ['READINESS_CHECKS_DATABASE', 'true', 'false'],
];

/** The fault of this variable's value alone. Faults of combinations of variables are ignored. */
function faultOf(name: string, text: string): string | undefined {
  try {
    loadConfig({ [name]: text });
    return undefined;
  } catch (error) {
    const { faults } = error as { faults: { name: string; reason: string }[] };
    return faults.find((fault) => fault.name === name && fault.reason.startsWith('must be a whole'))?.reason;
  }
}

describe('numbers', () => {
  it.each(bounds)('%s is from %i to %i', (name, min, max) => {
    const reason = `must be a whole number from ${min} to ${max}`;
    expect(faultOf(name, String(min))).toBeUndefined();
    expect(faultOf(name, String(max))).toBeUndefined();
    expect(faultOf(name, String(min - 1))).toBe(reason);
    expect(faultOf(name, String(max + 1))).toBe(reason);
  });

  it('are all listed here', () => {
    const declared = Object.entries(variables).filter(
      ([, spec]) => 'default' in spec && typeof spec.default === 'number' && spec !== variables.TRUST_PROXY,
    );
    expect(declared.map(([name]) => name).sort()).toEqual(bounds.map(([name]) => name).sort());
  });

  it.each(['05', '+5', '5.0', '5e0', '0x5', ' 5', '5 ', '5\n', '٥', '5_0', '-0', 'NaN', 'Infinity', '9'.repeat(400)])(
    'are decimal digits only, not %j',
    (text) => {
      expect(faultOf('DATABASE_POOL_SIZE', text)).toBe('must be a whole number from 1 to 100');
    },
  );
});

describe('words', () => {
  it.each(words)('%s takes its words exactly as written', (name, ...accepted) => {
    for (const word of accepted) {
      const { settings } = loadConfig({ [name]: word });
      expect(settings.find((setting) => setting.name === name)).toEqual({ name, value: word, source: 'environment' });
    }
    for (const other of [...accepted.map((word) => word.toUpperCase()), `${accepted[0]} `, '1', 'yes']) {
      expect(() => loadConfig({ [name]: other })).toThrow(`${name}: must be `);
    }
  });
});
