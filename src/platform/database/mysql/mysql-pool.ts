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
 * Milliseconds without use after which a connection is asked before it is given out: the server may have closed it, and
 * firewalls forget idle connections without a word.
 */
const TRUSTED_IDLE_MS = 1000;

/** Milliseconds, up to twice as many, for which no new connection is tried for after the server refused one. */
const HOLD_BACK_MS = 1000;

/** MariaDB's numbers for which mysql2 has the name that MySQL gave to something else. */
const NAMES: ReadonlyMap<number, { code: string }> = new Map([[4151, { code: 'ER_ACCOUNT_HAS_BEEN_LOCKED' }]]);

type Settings = Pick<Config['database'], 'acquireTimeoutMs' | 'connectionMaxAgeMs' | 'maxWaiters' | 'poolSize'>;

interface Waiter {
  /** Nobody waits any more. */
  isLate: boolean;
  readonly resolve: (connection: MysqlConnection) => void;
  readonly reject: (fault: Error) => void;
}

/**
 * Connections to MySQL: a deadline over getting one, as many as may wait, an age after which one goes, and a look at one
 * that was idle before it is used again.
 */
export class MysqlPool {
  private readonly idle: MysqlConnection[] = [];
  private readonly waiting = new Set<Waiter>();
  /** Connections that there are or that are being opened. */
  private size = 0;
  private isClosed = false;
  /** Connections from before this moment lead to a server that is no writer any more. */
  private notBefore = 0;
  /** Connections that were idle since before this moment are taken for dead, as the one is that did not answer then. */
  private notIdleSince = 0;
  private limit: number;
  private refusal: DriverFault | undefined;

  /** @param open makes a connection whose session is ready. */
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
   * @throws {LateError} (rejects) when there is no connection within DATABASE_ACQUIRE_TIMEOUT_MS. @throws {NotAskedError}
   *   where DATABASE_MAX_WAITERS wait already. Else what the server or the network says.
   */
  acquire(): Promise<MysqlConnection> {
    this.leaveUnusable();
    const fresh = this.takeFresh();
    return fresh === undefined ? this.acquireInTime() : Promise.resolve(fresh);
  }

  /** @param fault that the connection met. */
  release(connection: MysqlConnection, fault?: DriverFault): void {
    if (fault !== undefined && isReadOnlyFault(fault)) this.notBefore = performance.now();
    if (fault !== undefined && spoilsConnection(fault)) return this.discard(connection);
    connection.usedAt = performance.now();
    if (this.isClosed || !this.isUsable(connection)) return this.discard(connection);
    const waiter = this.nextWaiter();
    if (waiter === undefined) this.idle.push(connection);
    else waiter.resolve(connection);
  }

  /** Destroys a connection that was given out. */
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

  /** What was used last is given out first, so those that nobody needs would stay, on a server that others have left. */
  private leaveUnusable(): void {
    for (let [oldest] = this.idle; oldest !== undefined && !this.isUsable(oldest); [oldest] = this.idle) {
      this.idle.shift();
      this.discard(oldest);
    }
  }

  /** One that needs no look: it was used just now. */
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
      // mysql2 says of some only that the connection is lost with it.
      const fault = Object.assign(thrown as DriverFault, { phase: 'connect', fatal: true }, name);
      if (isRefusedByServer(fault)) this.holdBack(fault);
      waiter.reject(fault);
      this.openForWaiter();
    }
  }

  /** The server, or the network, ended a connection that nobody uses. */
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

  /** Known from its last use where that was just now, else asked. One that is dead stands for all that were idle as long. */
  private async answers(connection: MysqlConnection): Promise<boolean> {
    const { usedAt } = connection;
    if (performance.now() - usedAt < TRUSTED_IDLE_MS) return true;
    if (usedAt <= this.notIdleSince) return false;
    // Half of the time, so that the other half is there to make a new connection.
    if (await connection.answers(this.settings.acquireTimeoutMs / 2)) return true;
    this.notIdleSince = Math.max(this.notIdleSince, usedAt);
    return false;
  }

  /**
   * The server refused a login or a session: for a while no other is tried. The connections that there are do all the work,
   * and where there are none everybody gets the same fault. Logins at each request would keep the server busy with refusing,
   * and may lock the account.
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
