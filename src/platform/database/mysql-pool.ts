import type { DataSource } from 'typeorm';
import type { Config } from '../config/index.js';
import type { PoolState } from '../metrics/index.js';
import { within } from './deadline.js';
import type { Row } from './database.js';
import { controlOn, cut, executeOn, isAlive, type MysqlConnection } from './mysql-connection.js';
import {
  causeOf,
  isReadOnlyFault,
  isTurnedAway,
  spoilsConnection,
  translateMysqlFault,
  type MysqlFault,
} from './mysql-failure.js';
import { LONGEST_LOCK_WAIT_S, sessionOf } from './mysql-session.js';
import { NotAskedError, unavailable } from './unavailable.js';

/** The part of a mysql2 pool that is used here. How full it is, nothing tells but its private fields. */
interface RawPool {
  readonly _allConnections: { readonly length: number };
  readonly _freeConnections: { readonly length: number };
  readonly _connectionQueue: { readonly length: number };
  readonly config: { connectionLimit: number };
  getConnection(done: (fault: Error | null, connection: MysqlConnection) => void): void;
}

/** What mysql2 says, without a code, where DATABASE_MAX_WAITERS wait. */
const POOL_IS_FULL = 'Queue limit reached.';

/**
 * Milliseconds without use after which a connection is asked before it is given out: the server may have closed it, and
 * firewalls forget idle connections without a word.
 */
const TRUSTED_IDLE_MS = 1000;

/** Milliseconds, up to twice as many, for which no new connection is tried for after one was turned away. */
const HOLD_BACK_MS = 1000;

const ISOLATION = 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED';
const CAUSAL_READS = 'SET SESSION wsrep_sync_wait = 1';

/**
 * TypeORM's mysql2 pool with what it lacks: a deadline over getting a connection, a session that is set up before its
 * first use, an age after which a connection goes, and destruction of one that must not be used again.
 */
export class MysqlPool {
  private readonly idSteps = new WeakMap<MysqlConnection, bigint>();
  private readonly born = new WeakMap<MysqlConnection, number>();
  private readonly usedAt = new WeakMap<MysqlConnection, number>();
  /** Connections from before this moment lead to a server that is no writer any more. */
  private notBefore = 0;
  /** Connections that were idle since before this moment are taken for dead, as the one is that did not answer then. */
  private notIdleSince = 0;
  private holding: NodeJS.Timeout | undefined;

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

  /** How far apart the ids of one statement are; undefined where the server says each of them. */
  idStepOf(connection: MysqlConnection): bigint | undefined {
    return this.idSteps.get(connection);
  }

  private async learnIdStep(connection: MysqlConnection): Promise<void> {
    const sql = 'SELECT VERSION() AS version, @@SESSION.auto_increment_increment AS step';
    const [server] = (await executeOn(connection, sql, [], this.settings.queryTimeoutMs)) as Row[];
    const version = server?.['version'] as string;
    if (!version.includes('MariaDB')) this.idSteps.set(connection, server?.['step'] as bigint);
  }

  private isFit(connection: MysqlConnection): boolean {
    const born = this.born.get(connection) ?? 0;
    return born > this.notBefore && performance.now() - born < this.settings.connectionMaxAgeMs;
  }

  private async take(): Promise<MysqlConnection> {
    for (;;) {
      const connection = await this.takeAny();
      if (!this.born.has(connection)) await this.prepare(connection);
      if (this.isFit(connection) && (await this.answers(connection))) return connection;
      cut(connection);
    }
  }

  /** Known from its last use where that was just now, else asked. One that is dead stands for all that were idle as long. */
  private async answers(connection: MysqlConnection): Promise<boolean> {
    const usedAt = this.usedAt.get(connection) ?? 0;
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
        else if (fault) {
          if (isTurnedAway(fault)) this.holdBack(pool);
          reject(translateMysqlFault(fault));
        } else resolve(taken);
      });
    });
  }

  /**
   * The server takes no more connections: for a while none is asked for, and those that there are do all the work. Who
   * knocked at each request would keep the server busy with refusing.
   */
  private holdBack(pool: RawPool): void {
    pool.config.connectionLimit = 1;
    clearTimeout(this.holding);
    const restore = (): void => void (pool.config.connectionLimit = this.settings.poolSize);
    this.holding = setTimeout(restore, HOLD_BACK_MS * (1 + Math.random())).unref();
  }

  private async prepare(connection: MysqlConnection): Promise<void> {
    // Without a listener an error between two statements would end the process.
    connection.on('error', () => undefined);
    const session = sessionOf(this.lockWaitSeconds);
    // Causal reads last: what is asked before is the same on a node that is behind.
    const last = this.settings.causalReads === 'galera' ? [CAUSAL_READS] : [];
    try {
      for (const sql of [session, ISOLATION]) await controlOn(connection, sql, this.settings.queryTimeoutMs);
      await this.learnIdStep(connection);
      for (const sql of last) await controlOn(connection, sql, this.settings.queryTimeoutMs);
    } catch (error) {
      cut(connection);
      throw translateMysqlFault(causeOf(error));
    }
    this.born.set(connection, performance.now());
    this.usedAt.set(connection, performance.now());
  }

  /** Below the time of a statement, so that the server says "not done" before the connection is given up on. */
  private get lockWaitSeconds(): number {
    const below = Math.ceil(this.settings.queryTimeoutMs / 1000) - 1;
    return Math.min(LONGEST_LOCK_WAIT_S, Math.max(1, below));
  }
}
