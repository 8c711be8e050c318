import { describe, expect, it } from '@jest/globals';
import { WindowCounter } from './rate-limit.js';

describe('WindowCounter', () => {
  it('counts each key in windows that begin with the first one counted', () => {
    let now = 1000;
    const counter = new WindowCounter(60, () => now);
    expect(counter.count('a')).toEqual({ count: 1, leftMs: 60 });
    now = 1050;
    expect(counter.count('a')).toEqual({ count: 2, leftMs: 10 });
    expect(counter.count('b')).toEqual({ count: 1, leftMs: 60 });
    now = 1060;
    expect(counter.count('a')).toEqual({ count: 1, leftMs: 60 });
    expect(counter.count('b')).toEqual({ count: 2, leftMs: 50 });
  });

  it('holds so many keys and no more: the first makes room for the next', () => {
    const counter = new WindowCounter(60, () => 0, 3);
    for (const key of ['a', 'b', 'c', 'd']) counter.count(key);
    expect(counter.count('d').count).toBe(2);
    expect(counter.count('b').count).toBe(2);
    expect(counter.count('a').count).toBe(1);
  });

  it('has the key make room whose window began first, not the one that came first', () => {
    let now = 0;
    const counter = new WindowCounter(60, () => now, 2);
    counter.count('first');
    now = 10;
    counter.count('busy');
    now = 61;
    counter.count('other');
    now = 70;
    counter.count('busy');
    counter.count('new');
    expect(counter.count('busy').count).toBe(2);
    expect(counter.count('other').count).toBe(1);
  });

  it('forgets keys that are over, however many there were', () => {
    let now = 0;
    const counter = new WindowCounter(60, () => now);
    for (let key = 0; key < 1000; key++) counter.count(String(key));
    now = 120;
    counter.count('b');
    expect([...(counter as unknown as { windows: Map<string, unknown> }).windows.keys()]).toEqual(['b']);
  });
});
