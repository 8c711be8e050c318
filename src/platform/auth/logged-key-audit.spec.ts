import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type KeyEvent, LoggedKeyAudit } from './key-audit.js';

let log: { child: () => object; info: jest.Mock; warn: jest.Mock };
let inc: jest.Mock;

beforeEach(() => {
  log = { child: () => log, info: jest.fn(), warn: jest.fn() };
  inc = jest.fn();
});

function line(event: KeyEvent): unknown {
  new LoggedKeyAudit(log as never, { authFailures: { inc } } as never).record(event);
  const lines = [...log.info.mock.calls, ...log.warn.mock.calls];
  expect(lines).toHaveLength(1);
  return lines[0]?.[0];
}

const OWNER = { keyId: 'key00001', client: 'acme' };

describe('the audit in the log', () => {
  it('has a line for a key made', () => {
    const terms = { scopes: ['*'], expiresAt: Date.UTC(2030, 0, 1) };
    expect(line({ event: 'key.created', ...OWNER, ...terms })).toEqual({
      event: 'key.created',
      key_id: 'key00001',
      client: 'acme',
      scopes: ['*'],
      expires_at: '2030-01-01T00:00:00.000Z',
    });
  });

  it('has a line for a key rolled', () => {
    expect(line({ event: 'key.rolled', ...OWNER, successorId: 'key00002', expiresAt: 0 })).toEqual({
      event: 'key.rolled',
      key_id: 'key00001',
      client: 'acme',
      successor_id: 'key00002',
      expires_at: '1970-01-01T00:00:00.000Z',
    });
  });

  it('has a line for a key revoked', () => {
    expect(line({ event: 'key.revoked', ...OWNER })).toEqual({
      event: 'key.revoked',
      key_id: 'key00001',
      client: 'acme',
    });
  });

  it('has a line for a key refused, and counts it by its reason alone', () => {
    expect(line({ event: 'auth.failed', reason: 'mismatch', keyId: 'key00001', address: '203.0.113.7' })).toEqual({
      event: 'auth.failed',
      reason: 'mismatch',
      key_id: 'key00001',
      client_ip: '203.0.113.7',
    });
    expect(inc.mock.calls).toStrictEqual([[{ reason: 'mismatch' }]]);
  });

  it('counts refusals that have no line of their own, and says so at the end', () => {
    const audit = new LoggedKeyAudit(log as never, { authFailures: { inc } } as never);
    const refused = { event: 'auth.failed', reason: 'mismatch', keyId: 'key00001', address: '203.0.113.7' } as const;
    for (let i = 0; i < 60; i++) audit.record(refused);
    audit.onApplicationShutdown();
    expect(log.warn).toHaveBeenCalledTimes(51);
    expect(log.warn.mock.lastCall?.[0]).toEqual({
      event: 'auth.failed',
      count: 10,
      reasons: { mismatch: 10 },
      client_ip: '203.0.113.7',
    });
    expect(inc).toHaveBeenCalledTimes(60);
  });
});
