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
    exposeGauges(registers, () => ({ name: this.name, state: this.state() }));
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
}

type Name = Readonly<Record<typeof POOL, string>>;
type Look = () => { readonly name: Name; readonly state: PoolState | undefined };

function exposeGauges(registers: Registry[], look: Look): void {
  const expose = (name: string, help: string, set: (gauge: Gauge, pool: Name, state: PoolState) => void): void => {
    new Gauge({
      name,
      help,
      labelNames: [POOL, STATE],
      registers,
      collect() {
        const { name: pool, state } = look();
        if (state !== undefined) set(this, pool, state);
      },
    });
  };
  expose('db_client_connection_count', 'Connections of the pool, by their state.', (gauge, pool, { idle, used }) => {
    gauge.set({ ...pool, [STATE]: 'idle' }, idle);
    gauge.set({ ...pool, [STATE]: 'used' }, used);
  });
  expose('db_client_connection_max', 'Connections that the pool may open.', (gauge, pool, { max }) =>
    gauge.set(pool, max),
  );
  expose(
    'db_client_connection_pending_requests',
    'Statements and transactions that wait for a connection.',
    (gauge, pool, { pending }) => gauge.set(pool, pending),
  );
}
