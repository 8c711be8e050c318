import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RefusalLog, type RefusedKey, type Unwritten } from './key-audit.js';

let ones: RefusedKey[];
let rests: Unwritten[];
let refusals: RefusalLog;

beforeEach(() => {
  jest.useFakeTimers();
  ones = [];
  rests = [];
  refusals = new RefusalLog({ one: (refused) => ones.push(refused), rest: (unwritten) => rests.push(unwritten) });
});

afterEach(() => {
  jest.useRealTimers();
});

function refuse(times: number, address: string, reason: RefusedKey['reason'] = 'unknown'): void {
  for (let i = 0; i < times; i++) refusals.record({ event: 'auth.failed', reason, keyId: undefined, address });
}

describe('the log of refusals', () => {
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
    expect(rests).toEqual([{ source: '203.0.113.7', reasons: { unknown: 10, malformed: 1000 } }]);
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
    expect(ones.at(-1)?.address).toBe('203.0.113.8');
  });

  it('takes an IPv6 network for one source', () => {
    for (let host = 1; host <= 60; host++) refuse(1, `2001:db8::${host.toString(16)}`);
    refusals.flush();
    expect(ones).toHaveLength(50);
    expect(rests).toEqual([{ source: '2001:db8:0:0::/64', reasons: { unknown: 10 } }]);
  });

  it('is bounded over all sources, and loses none of the count', () => {
    for (let host = 0; host < 5000; host++) refuse(2, `198.${host >> 16}.${(host >> 8) & 255}.${host & 255}`);
    refusals.flush();
    expect(ones).toHaveLength(250);
    expect(rests).toEqual([{ source: undefined, reasons: { unknown: 9750 } }]);

    for (let host = 0; host < 100; host++) refuse(20, `203.0.113.${host}`);
    refusals.flush();
    expect(ones).toHaveLength(250 + 500);
    expect(rests).toHaveLength(1 + 75);
    expect(rests.slice(1).reduce((sum, { reasons }) => sum + (reasons['unknown'] ?? 0), 0)).toBe(1500);
  });
});
