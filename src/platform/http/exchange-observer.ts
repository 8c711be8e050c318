import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/index.js';
import { LOG, type Log } from '../logging/index.js';
import { Metrics } from '../metrics/index.js';
import { Workload, type Exchange } from './exchange.js';
import { ExchangeList } from './exchange-list.js';
import { bodyBytes } from './express-messages.js';
import { closeAfter } from './connection.js';

/** What is remembered of an exchange. Itself it would keep the whole request alive, and each collection would copy it. */
interface EndedExchange {
  readonly id: string;
  readonly route: Exchange['route'];
  readonly startedAt: number;
  readonly endedAt: number;
}

/** Requests that may end between a block of the event loop and the check that notices it. */
const REMEMBERED = 256;

/** Counts and logs every exchange that is looked at: one access line, one observation, whatever became of it. */
@Injectable()
export class ExchangeObserver {
  private readonly active = new ExchangeList('placeAmongActive');
  /** The requests that the process works on now; the others wait for their body or the database. */
  readonly workload = new Workload();
  /** The last that ended, the oldest first from `oldest` on; a new one replaces the oldest. */
  private readonly ended: EndedExchange[] = [];
  private oldest = 0;
  private draining = false;
  /** Only for a developer at a terminal: a path may hold a secret of a client. */
  private readonly showsPath: boolean;

  constructor(
    private readonly metrics: Metrics,
    @Inject(LOG) private readonly log: Log,
    @Inject(CONFIG) { env, log: { format } }: Config,
  ) {
    metrics.watchActive(() => this.active.size);
    this.showsPath = env === 'development' && format === 'pretty';
  }

  /** From now on the last answer of each connection says `Connection: close`, also the answer to a running request. */
  drain(): void {
    this.draining = true;
    const last = new Map([...this.active].map(({ request, response }) => [request.socket, response]));
    for (const response of last.values()) closeAfter(response);
  }

  /** Ends the streams of server-sent events, which would go on for ever. A client opens them anew, elsewhere. */
  endEventStreams(): void {
    for (const { route, response } of this.active) {
      if (!route?.produces.includes('text/event-stream') || !response.headersSent || response.writableEnded) continue;
      const { socket } = response;
      // What its handler still writes goes nowhere.
      response.on('error', () => undefined).end(() => socket?.destroySoon());
    }
  }

  inFlight(): Exchange[] {
    return [...this.active];
  }

  /**
   * What was being worked on at a moment, as far as it has not ended or was among the last that did.
   *
   * @param instant monotonic, as `performance.now()` gives it.
   */
  activeAt(instant: number): EndedExchange[] {
    return [...this.ended, ...this.active].filter(
      ({ startedAt, endedAt }) => startedAt <= instant && endedAt >= instant,
    );
  }

  /** To be called as the exchange begins. */
  begin(exchange: Exchange): void {
    this.active.add(exchange);
    exchange.workload = this.workload;
    if (this.draining) closeAfter(exchange.response);
  }

  /** To be called once its response is closed. */
  end(exchange: Exchange): void {
    const { id, route, response, startedAt } = exchange;
    this.drop(exchange);
    const { endedAt } = exchange;
    this.ended[this.oldest] = { id, route, startedAt, endedAt };
    this.oldest = (this.oldest + 1) % REMEMBERED;
    this.workload.rest(exchange);
    const seconds = (endedAt - startedAt) / 1000;
    const aborted = !response.writableFinished;
    // Node has 200 where there is no answer yet.
    const status = response.headersSent ? response.statusCode : undefined;
    this.measure(exchange, status, seconds, aborted);
    this.write(exchange, status, seconds, aborted);
  }

  /** To be called instead for a request that is not handled: an access line would name an answer that was never sent. */
  drop(exchange: Exchange): void {
    this.active.remove(exchange);
    exchange.endedAt = performance.now();
  }

  /** To be called for a connection that is refused before there is an exchange. */
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
