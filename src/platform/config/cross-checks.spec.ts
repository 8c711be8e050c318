import { describe, expect, it } from '@jest/globals';
import { loadConfig, type ConfigError } from './index.js';

/** Name and reason of each fault; empty when the environment is accepted. */
function faultsOf(env: NodeJS.ProcessEnv): [string, string][] {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    return (error as ConfigError).faults.map(({ name, reason }) => [name, reason]);
  }
}

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
