import type { DataSource } from 'typeorm';
import type { Config } from '../config/index.js';
import type { SqlValue } from './database.js';
import { unavailable, within } from './deadline.js';
import { translateMysqlFault, type MysqlFault } from './mysql-failure.js';

type Callback = (fault: Error | null, result: unknown, fields: { name: string; columnType?: number }[]) => void;

/** The part of a mysql2 connection that is used here. */
export interface MysqlConnection {
  query(sql: string, done: Callback): void;
  execute(sql: string, parameters: SqlValue[], done: Callback): void;
  release(): void;
  destroy(): void;
}

interface RawPool {
  getConnection(done: (fault: Error | null, connection: MysqlConnection) => void): void;
}

/** Seconds for which a statement waits for a row or a table lock, below the request's own deadline. */
const LOCK_WAIT_SECONDS = 2;

/** The same session on any server, whatever its defaults. Both MySQL and MariaDB know every word of it. */
const SESSION = [
  `SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'`,
  `time_zone = '+00:00'`,
  `innodb_lock_wait_timeout = ${LOCK_WAIT_SECONDS}`,
  `lock_wait_timeout = ${LOCK_WAIT_SECONDS}`,
].join(', ');
const ISOLATION = 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED';
const CAUSAL_READS = 'SET SESSION wsrep_sync_wait = 1';

/**
 * TypeORM's mysql2 pool with what it lacks: a deadline over getting a connection, a session that is set up before its
 * first use, an age after which a connection goes, and destruction of one that must not be used again.
 */
export class MysqlPool {
  private readonly born = new WeakMap<MysqlConnection, number>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly settings: Config['database'],
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
    const age = performance.now() - (this.born.get(connection) ?? 0);
    this.discardOrRelease(connection, age > this.settings.connectionMaxAgeMs);
  }

  discardOrRelease(connection: MysqlConnection, discard: boolean): void {
    if (discard) connection.destroy();
    else connection.release();
  }

  private async take(): Promise<MysqlConnection> {
    const pool = (this.dataSource.driver as unknown as { pool?: RawPool }).pool;
    if (pool === undefined) throw unavailable(new Error('The database is not connected yet'));
    const connection = await new Promise<MysqlConnection>((resolve, reject) => {
      pool.getConnection((fault, taken) => {
        if (fault) reject(translateMysqlFault(fault as MysqlFault));
        else resolve(taken);
      });
    });
    if (!this.born.has(connection)) await this.prepare(connection);
    return connection;
  }

  private async prepare(connection: MysqlConnection): Promise<void> {
    const statements = [SESSION, ISOLATION, ...(this.settings.causalReads === 'galera' ? [CAUSAL_READS] : [])];
    for (const sql of statements) {
      await new Promise<void>((resolve, reject) => {
        connection.query(sql, (fault) => {
          if (!fault) return resolve();
          connection.destroy();
          reject(translateMysqlFault(fault as MysqlFault));
        });
      });
    }
    this.born.set(connection, performance.now());
  }
}
