import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config } from '../config/index.js';
import { ApiError, coreErrors, RETRY_SOON } from '../errors/index.js';
import { ExchangeObserver } from '../http/index.js';
import { LOG, type Log } from '../logging/index.js';
import { Metrics } from '../metrics/index.js';

/** Milliseconds between two checks of the event loop. */
const LOOK_MS = 100;
/** Milliseconds that the loop may stand still before it is logged. */
const BLOCKED_MS = 250;
/** How many requests one line of the log names. */
const NAMED = 10;

/** What is too much for this process: requests in flight, and an event loop that runs late. */
@Injectable()
export class Overload implements OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private looked = 0;
  private lastDelayMs = 0;
  private loopDelayMs = 0;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOG) private readonly log: Log,
    private readonly metrics: Metrics,
    private readonly observer: ExchangeObserver,
  ) {}

  /** To be called once requests can come: until then code is loaded, which blocks the event loop and delays no request. */
  start(): void {
    this.looked = performance.now();
    this.timer = setInterval(() => this.look(), LOOK_MS).unref();
  }

  /**
   * Refuses work that this process could not finish in time, so that what it accepts it finishes.
   *
   * @param inFlight requests being worked on, this one included.
   */
  faultAt(inFlight: number): ApiError | undefined {
    const { maxInflight, loopDelayMs } = this.config.shed;
    if (maxInflight > 0 && inFlight > maxInflight) return this.shed('in_flight');
    // A request that is alone was delayed by other programs, not by requests: to refuse it would help nobody.
    if (loopDelayMs > 0 && inFlight > 1 && this.loopDelayMs > loopDelayMs) return this.shed('loop_delay');
    return undefined;
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    const now = performance.now();
    const delayMs = now - this.looked - LOOK_MS;
    // Two late checks in a row mean overload; a single one may be a garbage collection or one long task.
    this.loopDelayMs = Math.min(delayMs, this.lastDelayMs);
    this.lastDelayMs = delayMs;
    this.looked = now;
    if (delayMs >= BLOCKED_MS) this.reportBlock(now, delayMs);
  }

  /**
   * Attributes a blocked event loop to the features whose requests were worked on: a handler that computes for long stops all
   * others. Which of them it was, one block does not show; the sum over many does.
   */
  private reportBlock(now: number, delayMs: number): void {
    // When this look was due the loop stood still already, else it would have come in time.
    const during = this.observer.activeAt(now - delayMs).filter(({ route }) => route !== undefined);
    for (const feature of new Set(during.map(({ route }) => route?.feature ?? ''))) {
      this.metrics.featureFaults.inc({ feature, kind: 'block' });
    }
    const requests = during
      .slice(0, NAMED)
      .map(({ id, route }) => ({ feature: route?.feature, route: route?.path, request_id: id }));
    this.log.warn({ event: 'loop.blocked', delay_ms: Math.round(delayMs), requests }, 'The event loop stood still');
  }

  private shed(reason: string): ApiError {
    this.metrics.requestsShed.inc({ reason });
    return new ApiError(coreErrors.serviceUnavailable, 'The service is at its limit. Try again shortly.', {
      headers: RETRY_SOON,
      cause: `SHED_${reason.toUpperCase()}`,
    });
  }
}
