import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Buckets that OpenTelemetry recommends for HTTP durations. Seconds. */
const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** Buckets for the duration of a statement and for the wait for a connection. Seconds. */
const DATABASE_BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

/** The current state of a connection pool. */
export interface PoolState {
  readonly idle: number;
  readonly used: number;
  /** Statements and transactions that wait for a connection. */
  readonly pending: number;
  readonly max: number;
}

/** Every metric of the platform. Label values are templates and codes, never an id, a key or a raw path. */
export class Metrics {
  readonly registry = new Registry();

  readonly requestDuration = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Duration of HTTP server requests.',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code', 'url_scheme', 'error_type'],
    buckets: DURATION_BUCKETS,
    registers: [this.registry],
  });

  readonly authFailures = new Counter({
    name: 'animal_store_auth_failures_total',
    help: 'Requests refused for their API key, by reason.',
    labelNames: ['reason'],
    registers: [this.registry],
  });

  readonly deprecatedRequests = new Counter({
    name: 'animal_store_deprecated_requests_total',
    help: 'Requests to deprecated operations.',
    labelNames: ['http_route'],
    registers: [this.registry],
  });

  readonly requestsShed = new Counter({
    name: 'animal_store_requests_shed_total',
    help: 'Requests refused because the process was at its limit, by reason.',
    labelNames: ['reason'],
    registers: [this.registry],
  });

  readonly databaseDuration = new Histogram({
    name: 'db_client_operation_duration_seconds',
    help: 'Duration of database statements.',
    labelNames: [
      'db_system_name',
      'db_namespace',
      'db_collection_name',
      'db_operation_name',
      'db_response_status_code',
      'error_type',
    ],
    buckets: DATABASE_BUCKETS,
    registers: [this.registry],
  });

  readonly connectionTimeouts = new Counter({
    name: 'db_client_connection_timeouts_total',
    help: 'Statements and transactions that got no connection in time.',
    labelNames: ['db_client_connection_pool_name'],
    registers: [this.registry],
  });

  readonly connectionWaitTime = new Histogram({
    name: 'db_client_connection_wait_time_seconds',
    help: 'Time to get a connection.',
    labelNames: ['db_client_connection_pool_name'],
    buckets: DATABASE_BUCKETS,
    registers: [this.registry],
  });

  readonly connectionUseTime = new Histogram({
    name: 'db_client_connection_use_time_seconds',
    help: 'Time between getting a connection and giving it back.',
    labelNames: ['db_client_connection_pool_name'],
    buckets: DATABASE_BUCKETS,
    registers: [this.registry],
  });

  readonly databaseRetries = new Counter({
    name: 'animal_store_db_retries_total',
    help: 'Statements tried again, by the error code that made it safe.',
    labelNames: ['code'],
    registers: [this.registry],
  });

  readonly idempotencyPurgeFailures = new Counter({
    name: 'animal_store_idempotency_purge_failures_total',
    help: 'Times that expired records of Idempotency-Key could not be deleted.',
    registers: [this.registry],
  });

  readonly featureFaults = new Counter({
    name: 'animal_store_feature_faults_total',
    help: 'What a feature did that it may not: an unknown error, an answer that came too late, a blocked event loop.',
    labelNames: ['feature', 'kind'],
    registers: [this.registry],
  });

  readonly logDropped = new Counter({
    name: 'animal_store_log_dropped_total',
    help: 'Lines of the log that were dropped because nobody took them.',
    registers: [this.registry],
  });

  readonly connectionsRefused = new Counter({
    name: 'animal_store_connections_refused_total',
    help: 'Connections refused before there was a request: what came was none, or came too late, or there are too many.',
    labelNames: ['reason'],
    registers: [this.registry],
  });

  readonly certificateExpiry = new Gauge({
    name: 'animal_store_certificate_expiry_timestamp_seconds',
    help: 'When a certificate of the connection to the database expires, in seconds since 1970.',
    labelNames: ['certificate'],
    registers: [this.registry],
  });

  readonly ready = new Gauge({
    name: 'animal_store_ready',
    help: '1 while /readyz says ready.',
    registers: [this.registry],
  });

  /** The current state of the pool of database connections; undefined before the pool is open. */
  private poolState: () => PoolState | undefined = () => undefined;
  private poolName = '';

  constructor(version: string, revision: string) {
    collectDefaultMetrics({ register: this.registry });
    // These are the sums of the gauges without `_total`. Prometheus expects a counter under such a name (promtool check
    // metrics).
    for (const kind of ['handles', 'requests', 'resources']) {
      this.registry.removeSingleMetric(`nodejs_active_${kind}_total`);
    }
    measureLoopUtilization(this.registry);
    this.exposePool();
    new Gauge({
      name: 'animal_store_build_info',
      help: 'The build that runs; always 1.',
      labelNames: ['version', 'revision'],
      registers: [this.registry],
    }).set({ version, revision }, 1);
  }

  /** @param count returns the number of requests in progress. It is called at each scrape. */
  watchActive(count: () => number): void {
    new Gauge({
      name: 'http_server_active_requests',
      help: 'HTTP server requests that are being worked on.',
      registers: [this.registry],
      collect() {
        this.set(count());
      },
    });
  }

  /**
   * @param name the name of the pool.
   * @param state returns the state of the pool; undefined before the pool is open. It is called at each scrape.
   */
  watchPool(name: string, state: () => PoolState | undefined): void {
    this.poolName = name;
    this.poolState = state;
    this.connectionTimeouts.inc({ db_client_connection_pool_name: name }, 0);
  }

  private exposePool(): void {
    this.exposeConnections(
      'db_client_connection_count',
      'Connections of the pool, by their state.',
      ({ idle, used }) => [
        [idle, { db_client_connection_state: 'idle' }],
        [used, { db_client_connection_state: 'used' }],
      ],
    );
    this.exposeConnections('db_client_connection_max', 'Connections that the pool may open.', ({ max }) => [[max]]);
    this.exposeConnections(
      'db_client_connection_pending_requests',
      'Statements and transactions that wait for a connection.',
      ({ pending }) => [[pending]],
    );
  }

  private exposeConnections(
    name: string,
    help: string,
    valuesOf: (state: PoolState) => readonly (readonly [value: number, labels?: object])[],
  ): void {
    const labelNames = ['db_client_connection_pool_name', 'db_client_connection_state'];
    const collect = (): void => {
      const state = this.poolState();
      if (state === undefined) return;
      for (const [value, labels] of valuesOf(state)) {
        gauge.set({ db_client_connection_pool_name: this.poolName, ...labels }, value);
      }
    };
    const gauge = new Gauge({ name, help, labelNames, registers: [this.registry], collect });
  }
}

/** The utilization of the event loop since the last scrape, 0 to 1 (OpenTelemetry's nodejs.eventloop.utilization). */
function measureLoopUtilization(registry: Registry): void {
  let before = performance.eventLoopUtilization();
  new Gauge({
    name: 'nodejs_eventloop_utilization',
    help: 'Share of the time since the last scrape in which the event loop was busy.',
    registers: [registry],
    collect() {
      const now = performance.eventLoopUtilization();
      this.set(performance.eventLoopUtilization(now, before).utilization);
      before = now;
    },
  });
}
