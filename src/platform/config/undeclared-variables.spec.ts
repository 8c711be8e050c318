import { describe, expect, it } from '@jest/globals';
import { loadConfig } from './index.js';

const warningsOf = (...names: string[]): readonly string[] =>
  loadConfig(Object.fromEntries(names.map((name) => [name, 'hunter2']))).warnings;

describe('a variable that is not known', () => {
  it.each([
    ['DATABASE_POOLSIZE', 'DATABASE_POOL_SIZE'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['REDIS_URI', 'REDIS_URL'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['PORTS', 'PORT'],
    ['database_url', 'DATABASE_URL'],
    ['DATABASE_URL_FIEL', 'DATABASE_URL_FILE'],
  ])('%s is taken for a misspelt %s', (name, meant) => {
    expect(warningsOf(name)).toEqual([`${name} is not a known variable. Is ${meant} meant?`]);
  });

  it.each(['DATABASE_PASSWORD', 'HTTP_TIMEOUT', 'SHUTDOWN_GRACE_SECONDS', 'API_KEYS_PATH', 'DATABASE_PORT'])(
    '%s is told of, since it begins like one of ours',
    (name) => {
      expect(warningsOf(name)).toHaveLength(1);
      expect(warningsOf(name)[0]).toContain(`${name} is not a known variable.`);
    },
  );

  it('is never told with its value, and several come in alphabetical order', () => {
    const warnings = warningsOf('SHED_LIMIT', 'DATABASE_PASSWORD');
    expect(warnings).toEqual(['DATABASE_PASSWORD is not a known variable.', 'SHED_LIMIT is not a known variable.']);
  });

  it('is told beside the faults, of which it may be the reason', () => {
    const env = { NODE_ENV: 'production', PUBLIC_BASE_URL: 'https://api.example.com/v1', DATABSE_URL: 'hunter2' };
    const lines = [
      'The configuration has one fault:',
      '  DATABASE_URL: is required in production',
      'warning: DATABSE_URL is not a known variable. Is DATABASE_URL meant?',
    ];
    expect(() => loadConfig(env)).toThrow(lines.join('\n'));
  });

  it('is left alone when it is somebody else’s', () => {
    const others = [
      'PATH',
      'HOME',
      'HOSTNAME',
      'API_KEY',
      'NODE_OPTIONS',
      'HTTP_PROXY',
      'http_proxy',
      'https_proxy',
      'LOGNAME',
    ];
    expect(warningsOf(...others, 'OTEL_SERVICE_NAME', 'ORDERS_URL', 'TEST_DATABASE_URL', 'npm_config_cache')).toEqual(
      [],
    );
  });

  it('is left alone when Kubernetes put it there for a Service called database', () => {
    const links = {
      DATABASE_SERVICE_HOST: '10.0.0.1',
      DATABASE_SERVICE_PORT_MYSQL: '3306',
      DATABASE_PORT: 'tcp://10.0.0.1:3306',
      DATABASE_PORT_3306_TCP_ADDR: '10.0.0.1',
    };
    expect(loadConfig(links).warnings).toEqual([]);
  });
});
