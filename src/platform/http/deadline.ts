import { AsyncLocalStorage } from 'node:async_hooks';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/index.js';
import { ApiError, coreErrors, OUTCOME_UNKNOWN, RETRY_SOON } from '../errors/index.js';
import { LOG, type Log } from '../logging/index.js';
import { Metrics } from '../metrics/index.js';
import { errorAnswer, sendAnswer } from './answer.js';
import type { Exchange } from './exchange.js';
import { ExchangeList } from './exchange-list.js';
import { SAFE } from './connection.js';

/**
 * Answers 503 if a handler has not answered within REQUEST_DEADLINE_MS. Its later answer is dropped.
 *
 * All routes without `@RequestDeadline` have the same deadline. The request that began first is due first, so one timer
 * is enough for all of them.
 */
@Injectable()
export class Deadline {
  /** In the order in which they are due. */
  private readonly awaited = new ExchangeList('placeAmongAwaited');
  /**
   * Initialised explicitly: V8 compiles code for the values that it has seen in a field, and discards it at the first
   * other value.
   */
  private timer: NodeJS.Timeout | undefined = undefined;
  /** One timer serves many requests, so it runs outside the async context of the request that starts it. */
  private readonly outside = AsyncLocalStorage.snapshot();

  constructor(
    private readonly metrics: Metrics,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Starts the deadline of the handler. It does not cover the arrival of the body: Node limits that (408). */
  begin(exchange: Exchange): void {
    // The client may disconnect before its request reaches a handler.
    if (exchange.isOver) return;
    const { requestDeadlineMs } = this.config.http;
    const ownMs = exchange.route?.deadlineMs;
    if (ownMs !== undefined) {
      const timer = setTimeout(() => this.expire(exchange), ownMs).unref();
      exchange.response.once('close', () => clearTimeout(timer));
      return;
    }
    exchange.dueAt = performance.now() + requestDeadlineMs;
    this.awaited.add(exchange);
    this.timer ??= this.outside(() => setTimeout(() => this.look(), requestDeadlineMs).unref());
  }

  /** Must be called when the response is closed. */
  end(exchange: Exchange): void {
    this.awaited.remove(exchange);
  }

  private look(): void {
    this.timer = undefined;
    for (let next = this.awaited.first; next !== undefined; next = this.awaited.first) {
      const left = next.dueAt - performance.now();
      if (left > 0) {
        this.timer = setTimeout(() => this.look(), Math.ceil(left)).unref();
        return;
      }
      this.awaited.remove(next);
      this.expire(next);
    }
  }

  private expire(exchange: Exchange): void {
    const { response } = exchange;
    if (response.headersSent || response.destroyed) return;
    const feature = exchange.route?.feature;
    if (feature !== undefined) this.metrics.featureFaults.inc({ feature, kind: 'hang' });
    this.log.error({ event: 'request.hung', feature, request_id: exchange.id }, 'A handler did not answer in time');
    // The handler keeps running after this answer, so the outcome of an unsafe request is unknown.
    const said = SAFE.has(exchange.method) ? 'The answer took too long. Try again shortly.' : OUTCOME_UNKNOWN;
    exchange.failure = new ApiError(coreErrors.serviceUnavailable, said, {
      headers: RETRY_SOON,
      cause: 'REQUEST_DEADLINE',
    });
    sendAnswer(exchange, response, errorAnswer(exchange.failure));
  }
}
