import type { Config } from '../../config/index.js';
import type { PoolState } from '../../metrics/index.js';
import {
  type DriverFault,
  isReadOnlyFault,
  isRefusedByServer,
  LateError,
  NotAskedError,
  spoilsConnection,
} from '../database-failure.js';
import type { MysqlConnection } from './mysql-connection.js';

/**
 * Idle time after which a connection is tested before use. Milliseconds. The server may have closed it, and firewalls
 * drop idle connections silently.
 */
const TRUSTED_IDLE_MS = 1000;

/** After the server refused a connection, no new one is opened for this time to twice this time. Milliseconds. */
const HOLD_BACK_MS = 1000;

/** MariaDB's error numbers that mysql2 names like another error of MySQL. */
const NAMES: ReadonlyMap<number, { code: string }> = new Map([[4151, { code: 'ER_ACCOUNT_HAS_BEEN_LOCKED' }]]);

type Settings = Pick<Config['database'], 'acquireTimeoutMs' | 'connectionMaxAgeMs' | 'maxWaiters' | 'poolSize'>;

interface Waiter {
  /** The deadline has passed, so the caller does not wait any more. */
  isLate: boolean;
  readonly resolve: (connection: MysqlConnection) => void;
  readonly reject: (fault: Error) => void;
}

/**
 * A pool of connections to MySQL. It has a deadline for `acquire`, a limit of waiting callers, and a maximum age of
 * connections. It tests a connection that was idle before it uses it again.
 */
export class MysqlPool {
  private readonly idle: MysqlConnection[] = [];
  private readonly waiting = new Set<Waiter>();
  /** The number of connections, including those that are being opened. */
  private size = 0;
  private isClosed = false;
  /** Connections that were opened before this time lead to a server that is no longer a writer. `performance.now()`. */
  private notBefore = 0;
  /**
   * Connections that are idle since this time or longer count as dead, because one of them did not answer.
   * `performance.now()`.
   */
  private notIdleSince = 0;
  private limit: number;
  private refusal: DriverFault | undefined;

  /** @param open opens a connection and sets up its session. */
  constructor(
    private readonly settings: Settings,
    private readonly open: () => Promise<MysqlConnection>,
  ) {
    this.limit = settings.poolSize;
  }

  get state(): PoolState {
    const { length: idle } = this.idle;
    return { idle, used: this.size - idle, pending: this.waiting.size, max: this.settings.poolSize };
  }

  /**
   * @throws {LateError} (rejects) if there is no connection within DATABASE_ACQUIRE_TIMEOUT_MS.
   * @throws {NotAskedError} (rejects) if DATABASE_MAX_WAITERS callers wait already. Otherwise it rejects with the error
   * of the server or the network.
   */
  acquire(): Promise<MysqlConnection> {
    this.leaveUnusable();
    const fresh = this.takeFresh();
    return fresh === undefined ? this.acquireInTime() : Promise.resolve(fresh);
  }

  /** @param fault the fault of the connection, if it had one. */
  release(connection: MysqlConnection, fault?: DriverFault): void {
    if (fault !== undefined && isReadOnlyFault(fault)) this.notBefore = performance.now();
    if (fault !== undefined && spoilsConnection(fault)) return this.discard(connection);
    connection.usedAt = performance.now();
    if (this.isClosed || !this.isUsable(connection)) return this.discard(connection);
    const waiter = this.nextWaiter();
    if (waiter === undefined) this.idle.push(connection);
    else waiter.resolve(connection);
  }

  /** Destroys a connection that was acquired. */
  discard(connection: MysqlConnection): void {
    connection.destroy();
    this.size -= 1;
    this.openForWaiter();
  }

  close(): void {
    this.isClosed = true;
    const refused = new NotAskedError('The database is being closed');
    for (let next = this.nextWaiter(); next !== undefined; next = this.nextWaiter()) next.reject(refused);
    for (const connection of this.idle.splice(0)) this.discard(connection);
  }

  /**
   * Closes idle connections that are too old or no longer lead to the writer. The pool uses the last released
   * connection first, so without this step the others would stay open.
   */
  private leaveUnusable(): void {
    for (let [oldest] = this.idle; oldest !== undefined && !this.isUsable(oldest); [oldest] = this.idle) {
      this.idle.shift();
      this.discard(oldest);
    }
  }

  /** A connection that was used a moment ago, so it needs no test. */
  private takeFresh(): MysqlConnection | undefined {
    const last = this.idle.at(-1);
    if (last === undefined || !this.isUsable(last)) return undefined;
    return performance.now() - last.usedAt < TRUSTED_IDLE_MS ? this.idle.pop() : undefined;
  }

  private acquireInTime(): Promise<MysqlConnection> {
    const { acquireTimeoutMs } = this.settings;
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        isLate: false,
        resolve: (connection) => {
          clearTimeout(timer);
          if (waiter.isLate) this.release(connection);
          else resolve(connection);
        },
        reject: (fault) => {
          clearTimeout(timer);
          reject(fault);
        },
      };
      const timer = setTimeout(() => {
        waiter.isLate = true;
        this.waiting.delete(waiter);
        reject(new LateError(acquireTimeoutMs));
      }, acquireTimeoutMs);
      void this.take(waiter);
    });
  }

  private async take(waiter: Waiter): Promise<void> {
    for (let next = this.idle.pop(); next !== undefined; next = this.idle.pop()) {
      if (this.isUsable(next) && (await this.answers(next))) return waiter.resolve(next);
      next.destroy();
      this.size -= 1;
    }
    if (waiter.isLate) return;
    if (this.size < this.limit) return this.openFor(waiter);
    if (this.waiting.size >= this.settings.maxWaiters)
      waiter.reject(new NotAskedError('Too many wait for a connection'));
    else this.waiting.add(waiter);
  }

  private async openFor(waiter: Waiter): Promise<void> {
    if (this.refusal !== undefined && this.size === 0) return waiter.reject(this.refusal);
    this.size += 1;
    try {
      const connection = await this.open();
      connection.onBroken = () => this.forget(connection);
      waiter.resolve(connection);
    } catch (thrown) {
      this.size -= 1;
      const name = NAMES.get((thrown as DriverFault).errno ?? 0);
      // For some faults mysql2 does not set `fatal`, although the connection is lost.
      const fault = Object.assign(thrown as DriverFault, { phase: 'connect', fatal: true }, name);
      if (isRefusedByServer(fault)) this.holdBack(fault);
      waiter.reject(fault);
      this.openForWaiter();
    }
  }

  /** The server or the network closed an idle connection. */
  private forget(connection: MysqlConnection): void {
    const at = this.idle.indexOf(connection);
    if (at < 0) return;
    this.idle.splice(at, 1);
    this.discard(connection);
  }

  private openForWaiter(): void {
    const waiter = this.size < this.limit ? this.nextWaiter() : undefined;
    if (waiter !== undefined) void this.openFor(waiter);
  }

  private nextWaiter(): Waiter | undefined {
    const [waiter] = this.waiting;
    if (waiter !== undefined) this.waiting.delete(waiter);
    return waiter;
  }

  private isUsable({ isBroken, bornAt }: MysqlConnection): boolean {
    return !isBroken && bornAt > this.notBefore && performance.now() - bornAt < this.settings.connectionMaxAgeMs;
  }

  /**
   * Whether a connection works. It is tested unless it was used a moment ago. If one is dead, all that were idle as
   * long count as dead.
   */
  private async answers(connection: MysqlConnection): Promise<boolean> {
    const { usedAt } = connection;
    if (performance.now() - usedAt < TRUSTED_IDLE_MS) return true;
    if (usedAt <= this.notIdleSince) return false;
    // Half of the time, so that the other half remains to open a new connection.
    if (await connection.answers(this.settings.acquireTimeoutMs / 2)) return true;
    this.notIdleSince = Math.max(this.notIdleSince, usedAt);
    return false;
  }

  /**
   * The server refused a login or a session, so no new connection is opened for a while. The open connections do all
   * the work. If there are none, every caller gets the same fault. A login for each request would load the server, and
   * may lock the account.
   */
  private holdBack(fault: DriverFault): void {
    if (this.refusal !== undefined) return;
    this.refusal = fault;
    this.limit = 1;
    setTimeout(() => this.goOn(), HOLD_BACK_MS * (1 + Math.random())).unref();
  }

  private goOn(): void {
    this.refusal = undefined;
    this.limit = this.settings.poolSize;
    for (let free = this.limit - this.size; free > 0; free -= 1) this.openForWaiter();
  }
}
