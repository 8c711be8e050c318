import type { ExchangeObserver } from '../http/index.js';
import type { Log } from '../logging/index.js';
import type { Metrics } from '../metrics/index.js';

/** Milliseconds between two checks of the event loop. */
const LOOK_MS = 100;
/** Milliseconds that the loop may stand still before it is logged. */
const BLOCKED_MS = 250;
/** How many requests one line of the log names. */
const NAMED = 10;

/**
 * Attributes a blocked event loop to the features whose requests were worked on: a handler that computes for long stops all
 * others. Which of them it was, one block does not show; the sum over many does.
 */
export class LoopWatch {
  private timer: NodeJS.Timeout | undefined;
  private looked = 0;

  constructor(
    private readonly observer: ExchangeObserver,
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {}

  /** To be called once requests can come: until then code is loaded, which blocks the event loop and delays no request. */
  start(): void {
    this.looked = performance.now();
    this.timer = setInterval(() => this.look(), LOOK_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    const now = performance.now();
    const delay = now - this.looked - LOOK_MS;
    this.looked = now;
    if (delay < BLOCKED_MS) return;
    // When this look was due the loop stood still already, else it would have come in time.
    const during = this.observer.activeAt(now - delay).filter(({ route }) => route !== undefined);
    for (const feature of new Set(during.map(({ route }) => route?.feature ?? ''))) {
      this.metrics.featureFaults.inc({ feature, kind: 'block' });
    }
    const requests = during
      .slice(0, NAMED)
      .map(({ id, route }) => ({ feature: route?.feature, route: route?.path, request_id: id }));
    this.log.warn({ event: 'loop.blocked', delay_ms: Math.round(delay), requests }, 'The event loop stood still');
  }
}
