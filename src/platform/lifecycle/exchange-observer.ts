import { Inject, Injectable } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { Workload, type Exchange } from '../http/index.js';
import { cleanLine, LOG, writeInfo, type Log } from '../logging/index.js';
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
  ) {
    metrics.watchActive(() => this.active.size);
  }

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
  }

  /** To be called once its response is closed. */
  end(exchange: Exchange, response: ServerResponse): void {
    this.active.delete(exchange);
    exchange.endedAt = performance.now();
    const { id, route, startedAt, endedAt } = exchange;
    this.ended[this.oldest] = { id, route, startedAt, endedAt };
    this.oldest = (this.oldest + 1) % REMEMBERED;
    this.workload.rest(exchange);
    const seconds = (exchange.endedAt - exchange.startedAt) / 1000;
    const aborted = !response.writableFinished;
    this.measure(exchange, response.statusCode, seconds, aborted);
    this.write(exchange, response, seconds, aborted);
  }

  private measure({ knownMethod, route, failure }: Exchange, status: number, seconds: number, aborted: boolean): void {
    const errorType = aborted ? 'aborted' : failure?.code;
    this.metrics.requestDuration.observe(seconds, knownMethod, route?.path, status, 'http', errorType);
    if (route !== undefined && failure?.status === 500) {
      this.metrics.featureFaults.inc({ feature: route.feature, kind: 'error' });
    }
  }

  private write(exchange: Exchange, response: ServerResponse, seconds: number, aborted: boolean): void {
    const { id, method, route, clientAddress, principal, failure, trace, bytes } = exchange;
    const milliseconds = Math.round(seconds * 1e6) / 1000;
    // A client chooses its request id; everything else here is the service's own word, or an address.
    let fields = `,"request_id":"${cleanLine(id)}"`;
    if (trace !== undefined) fields += `,"trace_id":"${trace.traceId}","span_id":"${trace.spanId}"`;
    if (route !== undefined) fields += `,"feature":"${route.feature}"`;
    fields += `,"event":"http.request","http":{"method":"${method}"`;
    if (route !== undefined) fields += `,"route":"${route.path}"`;
    fields += `,"status":${response.statusCode},"duration_ms":${milliseconds},"bytes":${bytes}}`;
    if (clientAddress !== undefined) fields += `,"client_ip":"${clientAddress}"`;
    if (principal !== undefined) fields += `,"key_id":"${principal.keyId}"`;
    if (failure !== undefined) fields += `,"code":"${failure.code}"`;
    if (aborted) fields += ',"aborted":true';
    writeInfo(this.log, fields, 'request');
  }
}
