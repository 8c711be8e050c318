import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/index.js';
import { LOG, type Log } from '../logging/index.js';
import { Metrics } from '../metrics/index.js';
import { Workload, type Exchange } from './exchange.js';
import { ExchangeList } from './exchange-list.js';
import { bodyBytes } from './express-messages.js';
import { closeAfter } from './connection.js';

/**
 * The part of an ended exchange that is kept. The exchange itself would keep the whole request alive, and each garbage
 * collection would copy it.
 */
interface EndedExchange {
  readonly id: string;
  readonly route: Exchange['route'];
  readonly startedAt: number;
  readonly endedAt: number;
}

/** How many requests may end between a block of the event loop and the check that notices it. */
const REMEMBERED = 256;

/** Measures and logs every exchange, whatever its outcome: one observation and one access line each. */
@Injectable()
export class ExchangeObserver {
  private readonly active = new ExchangeList('placeAmongActive');
  /**
   * The requests that the process works on now. The others wait for their body or for the client to read the answer.
   */
  readonly workload = new Workload();
  /** The last exchanges that ended, as a ring: a new one replaces the one at `oldest`. */
  private readonly ended: EndedExchange[] = [];
  private oldest = 0;
  private draining = false;
  /** True only for a developer at a terminal, because a path may contain a secret of a client. */
  private readonly showsPath: boolean;

  constructor(
    private readonly metrics: Metrics,
    @Inject(LOG) private readonly log: Log,
    @Inject(CONFIG) { env, log: { format } }: Config,
  ) {
    metrics.watchActive(() => this.active.size);
    this.showsPath = env === 'development' && format === 'pretty';
  }

  /** From now on the last answer on each connection has `Connection: close`, including answers to running requests. */
  drain(): void {
    this.draining = true;
    const last = new Map([...this.active].map(({ request, response }) => [request.socket, response]));
    for (const response of last.values()) closeAfter(response);
  }

  /**
   * Ends the streams of server-sent events, which would never end by themselves. Clients reconnect to another replica.
   */
  endEventStreams(): void {
    for (const { route, response } of this.active) {
      if (!route?.produces.includes('text/event-stream') || !response.headersSent || response.writableEnded) continue;
      const { socket } = response;
      // The handler may still write. The error of such a write is ignored.
      response.on('error', () => undefined).end(() => socket?.destroySoon());
    }
  }

  inFlight(): Exchange[] {
    return [...this.active];
  }

  /**
   * The exchanges that were active at a moment. Of those that have ended since, only the last 256 are known.
   *
   * @param instant monotonic milliseconds, as from `performance.now()`.
   */
  activeAt(instant: number): EndedExchange[] {
    return [...this.ended, ...this.active].filter(
      ({ startedAt, endedAt }) => startedAt <= instant && endedAt >= instant,
    );
  }

  /** Must be called when the exchange begins. */
  begin(exchange: Exchange): void {
    this.active.add(exchange);
    exchange.workload = this.workload;
    if (this.draining) closeAfter(exchange.response);
  }

  /** Must be called when the response is closed. */
  end(exchange: Exchange): void {
    const { id, route, response, startedAt } = exchange;
    this.drop(exchange);
    const { endedAt } = exchange;
    this.ended[this.oldest] = { id, route, startedAt, endedAt };
    this.oldest = (this.oldest + 1) % REMEMBERED;
    this.workload.rest(exchange);
    const seconds = (endedAt - startedAt) / 1000;
    const aborted = !response.writableFinished;
    // Before an answer, `statusCode` is 200.
    const status = response.headersSent ? response.statusCode : undefined;
    this.measure(exchange, status, seconds, aborted);
    this.write(exchange, status, seconds, aborted);
  }

  /**
   * Must be called instead of `end` for a request that is not handled. Its access line would name an answer that was
   * never sent.
   */
  drop(exchange: Exchange): void {
    this.active.remove(exchange);
    exchange.endedAt = performance.now();
  }

  /** Must be called for a connection that is refused before there is an exchange. */
  refused(reason: string): void {
    this.metrics.connectionsRefused.inc({ reason });
  }

  private measure(
    { knownMethod, route, failure }: Exchange,
    status: number | undefined,
    seconds: number,
    aborted: boolean,
  ): void {
    const errorType = aborted ? 'aborted' : failure?.code;
    const labels = {
      http_request_method: knownMethod,
      ...(route !== undefined && { http_route: route.path }),
      ...(status !== undefined && { http_response_status_code: status }),
      url_scheme: 'http',
      ...(errorType !== undefined && { error_type: errorType }),
    };
    this.metrics.requestDuration.observe(labels, seconds);
    if (route !== undefined && failure?.status === 500) {
      this.metrics.featureFaults.inc({ feature: route.feature, kind: 'error' });
    }
  }

  private write(exchange: Exchange, status: number | undefined, seconds: number, aborted: boolean): void {
    const { id, method, route, clientAddress, principal, failure, location, trace, response } = exchange;
    const line = {
      request_id: id,
      trace_id: trace?.traceId,
      span_id: trace?.spanId,
      feature: route?.feature,
      event: 'http.request',
      http: {
        method,
        route: route?.path,
        path: this.showsPath ? exchange.path : undefined,
        status,
        duration_ms: Math.round(seconds * 1e6) / 1000,
        bytes: bodyBytes(response),
      },
      client_ip: clientAddress,
      key_id: principal?.keyId,
      location: failure === undefined ? location : undefined,
      code: failure?.code,
      cause: failure?.causeCode,
      aborted: aborted || undefined,
    };
    this.log.info(line, 'request');
  }
}
