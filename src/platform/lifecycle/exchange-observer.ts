import { Inject, Injectable } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { Workload, type Exchange } from '../http/index.js';
import { LOG, type Log } from '../logging/index.js';
import { Metrics } from '../metrics/index.js';

/** Counts and logs every exchange: one access line, one observation, whatever became of it. */
@Injectable()
export class ExchangeObserver {
  /** Exchanges being worked on now, with their answers. */
  private readonly active = new Map<Exchange, ServerResponse>();
  /** Those of them that there is something to do for. */
  readonly workload = new Workload();
  /** Those that ended since `activeAt` was asked last, with the moment. */
  private ended: { readonly exchange: Exchange; readonly at: number }[] = [];
  private draining = false;

  constructor(
    private readonly metrics: Metrics,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** From now on every answer, also those to what has begun, tells its connection to close. */
  drain(): void {
    this.draining = true;
    for (const response of this.active.values()) if (!response.headersSent) response.setHeader('Connection', 'close');
  }

  /** What is being worked on now. */
  inFlight(): Exchange[] {
    return [...this.active.keys()];
  }

  /**
   * What was being worked on at a moment since this was asked last.
   *
   * @param instant monotonic, as `performance.now()` gives it.
   */
  activeAt(instant: number): Exchange[] {
    const ended = this.ended.filter(({ at }) => at >= instant).map(({ exchange }) => exchange);
    this.ended = [];
    return [...ended, ...this.active.keys()].filter(({ startedAt }) => startedAt <= instant);
  }

  /** To be called as the exchange begins. */
  observe(exchange: Exchange, response: ServerResponse): void {
    this.active.set(exchange, response);
    this.workload.take(exchange);
    exchange.workload = this.workload;
    if (this.draining) response.setHeader('Connection', 'close');
    this.metrics.activeRequests.inc();
    response.once('close', () => this.finish(exchange, response));
  }

  private finish(exchange: Exchange, response: ServerResponse): void {
    this.active.delete(exchange);
    this.ended.push({ exchange, at: performance.now() });
    this.workload.rest(exchange);
    this.metrics.activeRequests.dec();
    const seconds = (performance.now() - exchange.startedAt) / 1000;
    const aborted = !response.writableFinished;
    this.measure(exchange, response.statusCode, seconds, aborted);
    this.write(exchange, response, seconds, aborted);
  }

  private measure({ knownMethod, route, failure }: Exchange, status: number, seconds: number, aborted: boolean): void {
    const errorType = aborted ? 'aborted' : failure?.code;
    this.metrics.requestDuration.observe(
      {
        http_request_method: knownMethod,
        ...(route === undefined ? {} : { http_route: route.path }),
        http_response_status_code: status,
        url_scheme: 'http',
        ...(errorType === undefined ? {} : { error_type: errorType }),
      },
      seconds,
    );
    if (route !== undefined && failure?.status === 500) {
      this.metrics.featureFaults.inc({ feature: route.feature, kind: 'error' });
    }
  }

  private write(exchange: Exchange, response: ServerResponse, seconds: number, aborted: boolean): void {
    this.log.info(
      {
        event: 'http.request',
        request_id: exchange.id,
        http: {
          method: exchange.method,
          route: exchange.route?.path,
          status: response.statusCode,
          duration_ms: Math.round(seconds * 1e6) / 1000,
          bytes: Number(response.getHeader('content-length') ?? 0),
        },
        feature: exchange.route?.feature,
        client_ip: exchange.clientAddress,
        key_id: exchange.principal?.keyId,
        code: exchange.failure?.code,
        ...(aborted ? { aborted } : {}),
        ...(exchange.trace === undefined ? {} : { trace_id: exchange.trace.traceId, span_id: exchange.trace.spanId }),
      },
      'request',
    );
  }
}
