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
 * Answers 503 for a handler that has not answered within REQUEST_DEADLINE_MS; what it answers later goes nowhere.
 *
 * All but those with `@RequestDeadline` have the same time, so who began first is due first, and one timer for all is enough.
 */
@Injectable()
export class Deadline {
  /** In the order in which they are due. */
  private readonly awaited = new ExchangeList('placeAmongAwaited');
  /** Undefined from the start: V8 compiles code for what it has seen in a field, and throws it away at the first other thing. */
  private timer: NodeJS.Timeout | undefined = undefined;
  /** The timer works for many requests, so not in the context of the one that happens to start it. */
  private readonly outside = AsyncLocalStorage.snapshot();

  constructor(
    private readonly metrics: Metrics,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Starts the time of the handler. The arrival of a body is not part of it: Node limits that (408). */
  begin(exchange: Exchange): void {
    // A client may be gone before its request comes to a handler.
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

  /** Its response is closed. */
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
    // What a handler does is not ended with its request.
    const said = SAFE.has(exchange.method) ? 'The answer took too long. Try again shortly.' : OUTCOME_UNKNOWN;
    exchange.failure = new ApiError(coreErrors.serviceUnavailable, said, {
      headers: RETRY_SOON,
      cause: 'REQUEST_DEADLINE',
    });
    sendAnswer(exchange, response, errorAnswer(exchange.failure));
  }
}
