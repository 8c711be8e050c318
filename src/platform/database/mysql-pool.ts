import { ApiError } from '../errors/index.js';
import type { DataSource } from 'typeorm';
import type { Config } from '../config/index.js';
import type { PoolState } from '../metrics/index.js';
import { within } from './deadline.js';
import { cut, isAlive, type MysqlConnection } from './mysql-connection.js';
import { isReadOnlyFault, spoilsConnection, type MysqlFault } from './mysql-failure.js';
import { sessionOf } from './prepared-connections.js';
import { NotAskedError, unavailable } from './unavailable.js';

/** The part of a mysql2 pool that is used here. How full it is, nothing tells but its private fields. */
interface RawPool {
  readonly _allConnections: { readonly length: number };
  readonly _freeConnections: { readonly length: number };
  readonly _connectionQueue: { readonly length: number };
  getConnection(done: (fault: Error | null, connection: MysqlConnection) => void): void;
}

/** What mysql2 says, without a code, where DATABASE_MAX_WAITERS wait. */
const POOL_IS_FULL = 'Queue limit reached.';

/**
 * Milliseconds without use after which a connection is asked before it is given out: the server may have closed it, and
 * firewalls forget idle connections without a word.
 */
const TRUSTED_IDLE_MS = 1000;

/**
 * TypeORM's mysql2 pool with what it lacks: a deadline over getting a connection, an age after which a connection goes,
 * and destruction of one that must not be used again.
 */
export class MysqlPool {
  private readonly usedAt = new WeakMap<MysqlConnection, number>();
  /** Connections from before this moment lead to a server that is no writer any more. */
  private notBefore = 0;
  /** Connections that were idle since before this moment are taken for dead, as the one is that did not answer then. */
  private notIdleSince = 0;

  constructor(
    private readonly dataSource: DataSource,
    private readonly settings: Config['database'],
    private readonly schemaIsCurrent: () => boolean,
  ) {}

  /** @throws {ApiError} service_unavailable when there is no connection within DATABASE_ACQUIRE_TIMEOUT_MS. */
  async acquire(): Promise<MysqlConnection> {
    let abandoned = false;
    const taking = this.take().then((connection) => {
      if (abandoned) this.release(connection);
      return connection;
    });
    return within(this.settings.acquireTimeoutMs, taking, () => (abandoned = true));
  }

  release(connection: MysqlConnection): void {
    this.usedAt.set(connection, performance.now());
    if (this.isFit(connection)) connection.release();
    else cut(connection);
  }

  /** Gives back a connection that met a fault. */
  giveBack(connection: MysqlConnection, fault: MysqlFault): void {
    if (isReadOnlyFault(fault)) this.notBefore = performance.now();
    if (spoilsConnection(fault)) cut(connection);
    else this.release(connection);
  }

  /** Undefined before the pool is open. */
  get state(): PoolState | undefined {
    const { raw } = this;
    if (raw === undefined) return undefined;
    const idle = raw._freeConnections.length;
    const used = raw._allConnections.length - idle;
    return { idle, used, pending: raw._connectionQueue.length, max: this.settings.poolSize };
  }

  private get raw(): RawPool | undefined {
    return (this.dataSource.driver as unknown as { pool?: RawPool }).pool;
  }

  private isFit(connection: MysqlConnection): boolean {
    const { since } = sessionOf(connection);
    return since > this.notBefore && performance.now() - since < this.settings.connectionMaxAgeMs;
  }

  private async take(): Promise<MysqlConnection> {
    for (;;) {
      const connection = await this.takeAny();
      if (this.isFit(connection) && (await this.answers(connection))) return connection;
      cut(connection);
    }
  }

  /** Known from its last use where that was just now, else asked. One that is dead stands for all that were idle as long. */
  private async answers(connection: MysqlConnection): Promise<boolean> {
    const usedAt = this.usedAt.get(connection) ?? sessionOf(connection).since;
    if (performance.now() - usedAt < TRUSTED_IDLE_MS) return true;
    if (usedAt <= this.notIdleSince) return false;
    // Half of the time, so that the other half is there to make a new connection.
    if (await isAlive(connection, this.settings.acquireTimeoutMs / 2)) return true;
    this.notIdleSince = Math.max(this.notIdleSince, usedAt);
    return false;
  }

  private takeAny(): Promise<MysqlConnection> {
    const pool = this.raw;
    if (pool === undefined || !this.schemaIsCurrent())
      throw unavailable(new NotAskedError('The database is not ready yet'));
    return new Promise<MysqlConnection>((resolve, reject) => {
      pool.getConnection((fault, taken) => {
        if (fault?.message === POOL_IS_FULL) reject(unavailable(new NotAskedError('Too many wait for a connection')));
        else if (fault) reject(fault instanceof ApiError ? fault : unavailable(fault));
        else resolve(taken);
      });
    });
  }
}
