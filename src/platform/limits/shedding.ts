import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config } from '../config/index.js';
import { ApiError, coreErrors, RETRY_SOON } from '../errors/index.js';
import { Metrics } from '../metrics/index.js';

/** Milliseconds between two checks of the event loop. */
const LOOK_MS = 100;

/**
 * Refuses work that this process could not finish in time, so that what it accepts it finishes: by the number of
 * requests in flight and by how late the event loop runs.
 */
@Injectable()
export class Shedding implements OnApplicationShutdown {
  private readonly timer: NodeJS.Timeout;
  private looked = performance.now();
  private lastDelayMs = 0;
  private loopDelayMs = 0;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly metrics: Metrics,
  ) {
    this.timer = setInterval(() => this.look(), LOOK_MS).unref();
  }

  /** @param inFlight requests being worked on, this one included. */
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
  }

  private shed(reason: string): ApiError {
    this.metrics.requestsShed.inc({ reason });
    return new ApiError(coreErrors.serviceUnavailable, 'The service is at its limit. Try again shortly.', {
      headers: RETRY_SOON,
      cause: `SHED_${reason.toUpperCase()}`,
    });
  }
}
