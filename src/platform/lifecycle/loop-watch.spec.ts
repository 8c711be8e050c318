import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, jest } from '@jest/globals';
import type { ExchangeObserver } from '../http/index.js';
import type { Log } from '../logging/index.js';
import type { Metrics } from '../metrics/index.js';
import { LoopWatch } from './loop-watch.js';

function standStill(): void {
  const end = performance.now() + 500;
  while (performance.now() < end);
}

describe('a loop that stands still', () => {
  it('is told once requests can come, and not while the service starts', async () => {
    const warn = jest.fn();
    const watch = new LoopWatch(
      { activeAt: () => [] } as unknown as ExchangeObserver,
      {} as Metrics,
      { warn } as unknown as Log,
    );
    await sleep(10);
    standStill();
    await sleep(200);
    expect(warn).not.toHaveBeenCalled();
    watch.start();
    await sleep(10);
    standStill();
    await sleep(200);
    watch.stop();
    expect(warn).toHaveBeenCalledWith(expect.objectContaining({ event: 'loop.blocked' }), expect.any(String));
  });
});
