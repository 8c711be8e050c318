import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** A pool of connections as it is now. */
export interface PoolState {
  readonly idle: number;
  readonly used: number;
  /** Requests that wait for a connection. */
  readonly pending: number;
  readonly max: number;
}

const POOL = 'db_client_connection_pool_name';
const STATE = 'db_client_connection_state';
const BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

/** The pool of database connections, as OpenTelemetry names it. Its state is read at each scrape. */
export class PoolMetrics {
  private pool = '';
  private state: () => PoolState | undefined = () => undefined;
  private readonly timeouts: Counter;
  private readonly waitTime: Histogram;
  private readonly useTime: Histogram;

  constructor(registry: Registry) {
    const registers = [registry];
    const labelNames = [POOL];
    this.exposeState(registers);
    this.timeouts = new Counter({
      name: 'db_client_connection_timeouts_total',
      help: 'Statements and transactions that got no connection in time.',
      labelNames,
      registers,
    });
    this.waitTime = new Histogram({
      name: 'db_client_connection_wait_time_seconds',
      help: 'Time to get a connection.',
      labelNames,
      buckets: BUCKETS,
      registers,
    });
    this.useTime = new Histogram({
      name: 'db_client_connection_use_time_seconds',
      help: 'Time between getting a connection and giving it back.',
      labelNames,
      buckets: BUCKETS,
      registers,
    });
  }

  /**
   * @param pool its name.
   * @param state how it is, asked at each scrape; undefined before it is open.
   */
  watch(pool: string, state: () => PoolState | undefined): void {
    this.pool = pool;
    this.state = state;
    this.timeouts.inc(this.name, 0);
  }

  /** @param milliseconds that somebody waited for a connection, and got it. */
  waited(milliseconds: number): void {
    this.waitTime.observe(this.name, milliseconds / 1000);
  }

  /** @param milliseconds that a connection was used. */
  used(milliseconds: number): void {
    this.useTime.observe(this.name, milliseconds / 1000);
  }

  timedOut(): void {
    this.timeouts.inc(this.name);
  }

  private get name(): Record<typeof POOL, string> {
    return { [POOL]: this.pool };
  }

  private exposeState(registers: Registry[]): void {
    const labelNames = [POOL, STATE];
    const expose = (name: string, help: string, set: (gauge: Gauge, state: PoolState) => void): void => {
      const collect = (): void => {
        const state = this.state();
        if (state !== undefined) set(gauge, state);
      };
      const gauge = new Gauge({ name, help, labelNames, registers, collect });
    };
    expose('db_client_connection_count', 'Connections of the pool, by their state.', (gauge, { idle, used }) => {
      gauge.set({ ...this.name, [STATE]: 'idle' }, idle);
      gauge.set({ ...this.name, [STATE]: 'used' }, used);
    });
    expose('db_client_connection_max', 'Connections that the pool may open.', (gauge, { max }) =>
      gauge.set(this.name, max),
    );
    expose(
      'db_client_connection_pending_requests',
      'Statements and transactions that wait for a connection.',
      (gauge, { pending }) => gauge.set(this.name, pending),
    );
  }
}
