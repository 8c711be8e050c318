import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { LoggedKeyAudit, RefusalLog, sourceOf, type KeyEvent, type RefusedKey } from './key-audit.js';

describe('the audit in the log', () => {
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

describe('the log of refusals', () => {
  let ones: Record<string, unknown>[];
  let rests: Record<string, unknown>[];
  let refusals: RefusalLog;

  beforeEach(() => {
    jest.useFakeTimers();
    ones = [];
    rests = [];
    refusals = new RefusalLog({
      warn: (line: Record<string, unknown>) => void ('count' in line ? rests : ones).push(line),
    } as never);
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  function refuse(times: number, address: string, reason: RefusedKey['reason'] = 'unknown'): void {
    for (let i = 0; i < times; i++) refusals.record({ event: 'auth.failed', reason, keyId: undefined, address });
  }

  function restOf(source: string | undefined, reasons: Readonly<Record<string, number>>): object {
    const count = Object.values(reasons).reduce((sum, some) => sum + some, 0);
    return { event: 'auth.failed', count, reasons, client_ip: source };
  }

  it('writes what one client does wrong line by line, and nothing more', () => {
    refuse(50, '203.0.113.7');
    jest.advanceTimersByTime(20_000);
    expect(ones).toHaveLength(50);
    expect(rests).toEqual([]);
  });

  it('counts the rest of a flood by reason, one line a window', () => {
    refuse(60, '203.0.113.7');
    refuse(1000, '203.0.113.7', 'malformed');
    expect(ones).toHaveLength(50);
    expect(rests).toEqual([]);
    jest.advanceTimersByTime(10_000);
    expect(rests).toEqual([restOf('203.0.113.7', { unknown: 10, malformed: 1000 })]);
  });

  it('begins anew with every window', () => {
    refuse(100, '203.0.113.7');
    jest.advanceTimersByTime(10_000);
    refuse(10, '203.0.113.7');
    jest.advanceTimersByTime(10_000);
    expect(ones).toHaveLength(60);
    expect(rests).toHaveLength(1);
  });

  it('writes another source beside a flood', () => {
    refuse(1000, '203.0.113.7');
    refuse(1, '203.0.113.8');
    expect(ones.at(-1)?.['client_ip']).toBe('203.0.113.8');
  });

  it('takes an IPv6 network for one source', () => {
    for (let host = 1; host <= 60; host++) refuse(1, `2001:db8::${host.toString(16)}`);
    refusals.flush();
    expect(ones).toHaveLength(50);
    expect(rests).toEqual([restOf('2001:db8:0:0::/64', { unknown: 10 })]);
  });

  it('is bounded over all sources, and loses none of the count', () => {
    for (let host = 0; host < 5000; host++) refuse(2, `198.${host >> 16}.${(host >> 8) & 255}.${host & 255}`);
    refusals.flush();
    expect(ones).toHaveLength(250);
    expect(rests).toEqual([restOf(undefined, { unknown: 9750 })]);

    for (let host = 0; host < 100; host++) refuse(20, `203.0.113.${host}`);
    refusals.flush();
    expect(ones).toHaveLength(250 + 500);
    expect(rests).toHaveLength(1 + 75);
    expect(
      rests.slice(1).reduce((sum, { reasons }) => sum + ((reasons as Record<string, number>)['unknown'] ?? 0), 0),
    ).toBe(1500);
  });
});

describe('the source of an address', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:0001:2:ffff::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', ''],
    ['unknown', 'unknown'],
  ])('%s is %s', (address, source) => {
    expect(sourceOf(address)).toBe(source);
  });
});
