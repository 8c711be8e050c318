import { Inject, Injectable } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { Workload, type Exchange } from '../http/index.js';
import { LOG, type Log } from '../logging/index.js';
import { Metrics } from '../metrics/index.js';

/** What is remembered of an exchange. Itself it would keep the whole request alive, and each collection would copy it. */
type Trace = Pick<Exchange, 'id' | 'route' | 'startedAt' | 'endedAt'>;

/** As many may end between a block of the event loop and the look that notices it. */
const REMEMBERED = 256;

/** Counts and logs every exchange: one access line, one observation, whatever became of it. */
@Injectable()
export class ExchangeObserver {
  /** Exchanges being worked on now, with their answers. */
  private readonly active = new Map<Exchange, ServerResponse>();
  /** Those of them that there is something to do for. */
  readonly workload = new Workload();
  /** The last that ended, the oldest first from `oldest` on. */
  private readonly ended: Trace[] = [];
  private oldest = 0;
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
   * What was being worked on at a moment, as far as it has not ended or was among the last that did.
   *
   * @param instant monotonic, as `performance.now()` gives it.
   */
  activeAt(instant: number): Trace[] {
    return [...this.ended, ...this.active.keys()].filter(
      ({ startedAt, endedAt }) => startedAt <= instant && endedAt >= instant,
    );
  }

  /** To be called as the exchange begins. */
  begin(exchange: Exchange, response: ServerResponse): void {
    this.active.set(exchange, response);
    this.workload.take(exchange);
    exchange.workload = this.workload;
    if (this.draining) response.setHeader('Connection', 'close');
    this.metrics.activeRequests.inc();
  }

  /** To be called once its response is closed. */
  end(exchange: Exchange, response: ServerResponse): void {
    this.active.delete(exchange);
    exchange.endedAt = performance.now();
    const { id, route, startedAt, endedAt } = exchange;
    this.ended[this.oldest] = { id, route, startedAt, endedAt };
    this.oldest = (this.oldest + 1) % REMEMBERED;
    this.workload.rest(exchange);
    this.metrics.activeRequests.dec();
    const seconds = (exchange.endedAt - exchange.startedAt) / 1000;
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
          bytes: exchange.bytes,
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
