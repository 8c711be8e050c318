import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config } from '../config/index.js';
import { ApiError, coreErrors, RETRY_SOON } from '../errors/index.js';
import { ExchangeObserver } from '../http/index.js';
import { LOG, type Log } from '../logging/index.js';
import { Metrics } from '../metrics/index.js';

/** Milliseconds between two checks of the event loop. */
const LOOK_MS = 100;
/** An event loop that is blocked for this many milliseconds is logged. */
const BLOCKED_MS = 250;
/** The number of requests that one log line names. */
const NAMED = 10;

/** Refuses requests under overload: too many requests in flight, or a late event loop. */
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

  /**
   * Must be called when requests can arrive. Before that, loading code blocks the event loop, but delays no request.
   */
  start(): void {
    this.looked = performance.now();
    this.timer = setInterval(() => this.look(), LOOK_MS).unref();
  }

  /**
   * Refuses requests that this process could not finish in time, so that it finishes those that it accepts.
   *
   * @param inFlight the number of requests in progress, including this one.
   */
  faultAt(inFlight: number): ApiError | undefined {
    const { maxInflight, loopDelayMs } = this.config.shed;
    if (maxInflight > 0 && inFlight > maxInflight) return this.shed('in_flight');
    // If there is only one request, other programs delay the process, and to refuse that request would not help.
    if (loopDelayMs > 0 && inFlight > 1 && this.loopDelayMs > loopDelayMs) return this.shed('loop_delay');
    return undefined;
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    const now = performance.now();
    const delayMs = now - this.looked - LOOK_MS;
    // Two late checks in a row mean overload. A single one may be a garbage collection or one long task.
    this.loopDelayMs = Math.min(delayMs, this.lastDelayMs);
    this.lastDelayMs = delayMs;
    this.looked = now;
    if (delayMs >= BLOCKED_MS) this.reportBlock(now, delayMs);
  }

  /**
   * Attributes a blocked event loop to the features whose requests were in progress: a handler that computes for long
   * stops all others. One block does not show which of them it was, but the sum over many blocks does.
   */
  private reportBlock(now: number, delayMs: number): void {
    // The loop was already blocked when this check was due; otherwise the check would have been on time.
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
