import { connect, type Socket } from 'node:net';
import type mysql2 from 'mysql2';
import type { ConnectionOptions } from 'mysql2';
import type { Config, MySqlTarget } from '../../config/index.js';
import type { Log } from '../../logging/index.js';
import { type DriverFault, NotAskedError } from '../database-failure.js';
import type { DatabaseWatch } from '../database-watch.js';
import { mysqlLogin, mysqlTls } from '../mysql-credentials.js';
import { SessionError, setUpSession } from '../mysql-session.js';
import { RetryBudget } from '../retry-budget.js';
import { MysqlConnection } from './mysql-connection.js';
import { MysqlLease, type LeaseOptions, type LeaseTerms } from './mysql-lease.js';
import { MysqlPool } from './mysql-pool.js';

/**
 * Limit of prepared statements for one connection. The least recently used ones are closed. By default a server keeps
 * 16,382 for all connections.
 */
const MOST_PREPARED = 128;

/** The server accepts the login and refuses the first statement. */
const PASSWORD_EXPIRED = 1820;

/**
 * The part of a pool that TypeORM uses. It gets one connection when it opens the data source. That one is a
 * placeholder: the first statement opens a real connection.
 */
interface TypeOrmPool {
  getConnection(done: (fault: Error | null, connection: { release(): void }) => void): void;
  end(done: (fault: Error | null) => void): void;
}

/**
 * MySQL 8.4 and MariaDB 10.11 or later, below TypeORM: the pool, the setup of a connection, and TypeORM's option
 * `driver`.
 */
export class MysqlEngine implements LeaseTerms {
  readonly budget = new RetryBudget();
  isReady: () => boolean = () => true;
  /** Set by the last session. TypeORM keeps only the version number. */
  isMariaDb = false;
  readonly settings: Config['database'];
  private readonly login: ReturnType<typeof mysqlLogin>;
  private readonly tls: ReturnType<typeof mysqlTls>;
  private open: MysqlPool | undefined;

  /**
   * @param log gets a warning if the login or the certificates cannot be read any more.
   * @throws {ConfigError} for certificates that cannot be used.
   */
  constructor(
    private readonly driver: typeof mysql2,
    { database: settings }: Pick<Config, 'database'>,
    readonly watch: DatabaseWatch,
    log?: Log,
  ) {
    this.settings = settings;
    this.login = mysqlLogin(settings, this.target, log);
    this.tls = mysqlTls(settings.tls, log);
    watch.watchPool(() => this.open?.state);
  }

  get pool(): MysqlPool {
    if (this.open === undefined) throw new NotAskedError('The database is not ready yet');
    return this.open;
  }

  requireReady(): void {
    if (!this.isReady()) throw new NotAskedError('The database is not ready yet');
  }

  /** A function of TypeORM's option `driver`. */
  createPool(options: { readonly connectionLimit?: number }): TypeOrmPool {
    const { settings } = this;
    const limits = { ...settings, poolSize: options.connectionLimit ?? settings.poolSize };
    const pool = new MysqlPool(limits, () => this.connect());
    this.open = pool;
    return {
      getConnection: (done) => done(null, { release: () => undefined }),
      end: (done) => {
        pool.close();
        this.open = undefined;
        done(null);
      },
    };
  }

  /** Runs one statement on a connection of the pool. Rejects like `MysqlLease.run`. */
  async ask(sql: string, parameters: readonly unknown[], options: LeaseOptions): Promise<unknown> {
    const lease = new MysqlLease(this, options);
    try {
      return await lease.run(sql, parameters);
    } finally {
      lease.release();
    }
  }

  /** Runs statements on a separate connection, outside the pool. Rejects with the error of the driver. */
  async onOwnConnection<T>(
    work: (run: (sql: string, parameters: readonly unknown[]) => Promise<unknown>) => Promise<T>,
  ): Promise<T> {
    const connection = await this.connect();
    try {
      return await work((sql, values) => connection.run(sql, values, this.settings.queryTimeoutMs));
    } finally {
      connection.destroy();
    }
  }

  /** Opens a connection. Its session is the same on every server, whatever the defaults of the server are. */
  private async connect(): Promise<MysqlConnection> {
    const { host, port } = this.target;
    const connection = new MysqlConnection(this.driver, this.options, socketTo(host, port));
    try {
      await connection.login();
      await this.prepare(connection);
      return connection;
    } catch (fault) {
      connection.destroy();
      throw fault;
    }
  }

  private async prepare(connection: MysqlConnection): Promise<void> {
    const { settings } = this;
    try {
      const { idStep } = await setUpSession((sql) => connection.run(sql, [], settings.queryTimeoutMs), settings);
      connection.idStep = idStep ?? 1n;
      this.isMariaDb = idStep === undefined;
    } catch (fault) {
      const { errno = 0, message } = fault as DriverFault;
      throw errno > 0 && errno !== PASSWORD_EXPIRED ? new SessionError([message], { cause: fault }) : fault;
    }
  }

  private get options(): ConnectionOptions {
    const { user, password } = this.login.current;
    const { host, port, database } = this.target;
    const ssl = this.tls.current;
    return {
      host,
      port,
      user,
      password,
      database,
      ...(ssl === undefined ? {} : { ssl }),
      charset: 'utf8mb4_bin',
      timezone: 'Z',
      connectTimeout: this.settings.connectTimeoutMs,
      multipleStatements: false,
      // A BIGINT is a number if that is exact, otherwise text. Text for each BIGINT would be slower than everything
      // else in a row.
      supportBigNumbers: true,
      bigNumberStrings: false,
      // SQLite returns DATE and JSON as text too, and TypeORM accepts that.
      dateStrings: ['DATE'],
      jsonStrings: true,
      // By default mysql2 offers LOAD DATA LOCAL to the server.
      flags: ['-LOCAL_FILES'],
      maxPreparedStatements: MOST_PREPARED,
    };
  }

  private get target(): MySqlTarget {
    return this.settings.target as MySqlTarget;
  }
}

/**
 * Opens a socket whose TLS certificate is checked for the right host. If the host is an IP address, mysql2 passes no
 * name to Node, and Node would check the certificate for `localhost`. Before that Node reads `_host` of the socket,
 * which it sets only for a host name.
 */
function socketTo(host: string, port: number): Socket {
  return Object.assign(connect({ host, port, noDelay: true, keepAlive: true }), { _host: host });
}
