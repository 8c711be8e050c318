import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Config } from '../config/index.js';
import { Metrics } from '../metrics/index.js';
import { Shedding } from './shedding.js';

let shedding: Shedding;

beforeEach(() => {
  jest.useFakeTimers();
  const shed = { maxInflight: 3, loopDelayMs: 150 };
  shedding = new Shedding({ shed } as unknown as Config, new Metrics('1.0.0', 'abc'));
});

afterEach(() => {
  shedding.onApplicationShutdown();
  jest.useRealTimers();
});

/** Has the event loop stand still for so long, that many times in a row. */
function stall(milliseconds: number, times: number): void {
  for (let time = 0; time < times; time += 1) {
    const now = performance.now();
    jest.spyOn(performance, 'now').mockReturnValue(now + milliseconds);
    jest.advanceTimersToNextTimer();
  }
}

describe('Shedding', () => {
  it('refuses what is more than the most requests at once', () => {
    expect([1, 3, 4].map((inFlight) => shedding.faultAt(inFlight)?.status)).toStrictEqual([undefined, undefined, 503]);
  });

  it('refuses while the event loop runs late, not after one long piece of work', () => {
    stall(400, 1);
    expect(shedding.faultAt(2)).toBeUndefined();
    stall(400, 1);
    expect(shedding.faultAt(2)?.status).toBe(503);
    stall(100, 1);
    expect(shedding.faultAt(2)).toBeUndefined();
  });

  it('never refuses the only request in flight: what delays it is not the load of this process', () => {
    stall(400, 5);
    expect(shedding.faultAt(1)).toBeUndefined();
    expect(shedding.faultAt(2)?.status).toBe(503);
  });
});
