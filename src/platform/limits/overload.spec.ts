import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Config } from '../config/index.js';
import type { ExchangeObserver } from '../http/index.js';
import type { Log } from '../logging/index.js';
import { Metrics } from '../metrics/index.js';
import { Overload } from './overload.js';

let overload: Overload;
let warn: jest.Mock;

function made(): Overload {
  warn = jest.fn();
  const shed = { maxInflight: 3, loopDelayMs: 150 };
  const log = { warn } as unknown as Log;
  const observer = { activeAt: () => [] } as unknown as ExchangeObserver;
  return new Overload({ shed } as unknown as Config, log, new Metrics('1.0.0', 'abc'), observer);
}

describe('the refusal of work', () => {
  beforeEach(() => {
    jest.useFakeTimers();
    overload = made();
    overload.start();
  });

  afterEach(() => {
    overload.onApplicationShutdown();
    jest.useRealTimers();
  });

  /** Blocks the event loop for the given time, several times in a row. */
  function stall(milliseconds: number, times: number): void {
    for (let time = 0; time < times; time += 1) {
      const now = performance.now();
      jest.spyOn(performance, 'now').mockReturnValue(now + milliseconds);
      jest.advanceTimersToNextTimer();
    }
  }

  it('refuses what is more than the most requests at once', () => {
    expect([1, 3, 4].map((inFlight) => overload.faultAt(inFlight)?.status)).toStrictEqual([undefined, undefined, 503]);
  });

  it('refuses while the event loop runs late, not after one long piece of work', () => {
    stall(400, 1);
    expect(overload.faultAt(2)).toBeUndefined();
    stall(400, 1);
    expect(overload.faultAt(2)?.status).toBe(503);
    stall(100, 1);
    expect(overload.faultAt(2)).toBeUndefined();
  });

  it('never refuses the only request in flight: what delays it is not the load of this process', () => {
    stall(400, 5);
    expect(overload.faultAt(1)).toBeUndefined();
    expect(overload.faultAt(2)?.status).toBe(503);
  });
});

function standStill(): void {
  const end = performance.now() + 500;
  while (performance.now() < end);
}

describe('a loop that stands still', () => {
  it('is logged once requests can come, and not while the service starts', async () => {
    overload = made();
    await sleep(10);
    standStill();
    await sleep(200);
    expect(warn).not.toHaveBeenCalled();
    overload.start();
    await sleep(10);
    standStill();
    await sleep(200);
    overload.onApplicationShutdown();
    expect(warn).toHaveBeenCalledWith(expect.objectContaining({ event: 'loop.blocked' }), expect.any(String));
  });
});
