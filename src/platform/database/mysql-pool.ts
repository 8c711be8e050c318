import type { DataSource } from 'typeorm';
import { currentDatabaseTarget, type Config } from '../config/index.js';
import { unavailable, within } from './deadline.js';
import type { Row } from './database.js';
import { controlOn, executeOn, type MysqlConnection } from './mysql-connection.js';
import { isReadOnlyFault, spoilsConnection, translateMysqlFault, type MysqlFault } from './mysql-failure.js';

interface RawPool {
  readonly config: { readonly connectionConfig: object };
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
  private readonly idSteps = new WeakMap<MysqlConnection, bigint>();
  private readonly born = new WeakMap<MysqlConnection, number>();
  /** Connections from before this moment lead to a server that is no writer any more. */
  private notBefore = 0;
  private refreshed: RawPool | undefined;

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
    if (this.isFit(connection)) connection.release();
    else connection.destroy();
  }

  /** Gives back a connection that met a fault. */
  giveBack(connection: MysqlConnection, fault: MysqlFault): void {
    if (isReadOnlyFault(fault)) this.notBefore = performance.now();
    if (spoilsConnection(fault)) connection.destroy();
    else this.release(connection);
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
      if (this.isFit(connection)) return connection;
      connection.destroy();
    }
  }

  private takeAny(): Promise<MysqlConnection> {
    const pool = (this.dataSource.driver as unknown as { pool?: RawPool }).pool;
    if (pool === undefined || !this.schemaIsCurrent()) throw unavailable(new Error('The database is not ready yet'));
    if (this.refreshed !== pool) this.refreshCredentials(pool);
    return new Promise<MysqlConnection>((resolve, reject) => {
      pool.getConnection((fault, taken) => {
        if (fault) reject(translateMysqlFault(fault));
        else resolve(taken);
      });
    });
  }

  /** Makes every new connection read user and password anew, since a secret in a file may be rotated in place. */
  private refreshCredentials(pool: RawPool): void {
    const current = () => {
      const target = currentDatabaseTarget(this.settings);
      return target.kind === 'mysql' ? target : undefined;
    };
    Object.defineProperty(pool.config.connectionConfig, 'user', { get: () => current()?.user, enumerable: true });
    Object.defineProperty(pool.config.connectionConfig, 'password', {
      get: () => current()?.password,
      enumerable: true,
    });
    this.refreshed = pool;
  }

  private async prepare(connection: MysqlConnection): Promise<void> {
    const statements = [SESSION, ISOLATION, ...(this.settings.causalReads === 'galera' ? [CAUSAL_READS] : [])];
    try {
      for (const sql of statements) await controlOn(connection, sql, this.settings.queryTimeoutMs);
      await this.learnIdStep(connection);
    } catch (error) {
      connection.destroy();
      throw error;
    }
    this.born.set(connection, performance.now());
  }
}
