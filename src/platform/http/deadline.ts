import { Inject, Injectable } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { CONFIG, type Config } from '../config/index.js';
import { ApiError, coreErrors } from '../errors/index.js';
import { LOG, type Log } from '../logging/index.js';
import { Metrics } from '../metrics/index.js';
import { errorAnswer, sendAnswer } from './answer.js';
import type { Exchange } from './exchange.js';

/** Answers 503 for a handler that has not answered within REQUEST_DEADLINE_MS; what it answers later goes nowhere. */
@Injectable()
export class Deadline {
  constructor(
    private readonly metrics: Metrics,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** From now on the handler's time runs. The arrival of a body is not part of it: Node limits that (408). */
  begin(exchange: Exchange, response: ServerResponse): void {
    const timer = setTimeout(() => this.expire(exchange, response), this.config.http.requestDeadlineMs);
    response.once('close', () => clearTimeout(timer));
  }

  private expire(exchange: Exchange, response: ServerResponse): void {
    if (response.headersSent) return;
    const feature = exchange.route?.feature;
    if (feature !== undefined) this.metrics.featureFaults.inc({ feature, kind: 'hang' });
    this.log.error({ event: 'request.hung', feature, request_id: exchange.id }, 'A handler did not answer in time');
    exchange.failure = new ApiError(coreErrors.serviceUnavailable, 'The answer took too long. Try again shortly.', {
      headers: { 'Retry-After': '1' },
    });
    sendAnswer(exchange, response, errorAnswer(exchange.failure));
  }
}
