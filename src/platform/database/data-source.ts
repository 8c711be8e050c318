import { DataSource, type DataSourceOptions } from 'typeorm';
import type BetterSqlite3 from 'better-sqlite3-v13';
import type { Config } from '../config/index.js';
import type { Feature } from '../feature.js';
import type { Log } from '../logging/index.js';
import { streamToAddress } from './database-tls.js';
import { followingDriver } from './following-driver.js';
import { MysqlLogin } from './mysql-login.js';
import { MysqlTls } from './mysql-tls.js';

/** The table in which TypeORM keeps what was migrated. */
export const MIGRATION_TABLE = 'migration';

/** Milliseconds that SQLite may block the process waiting for another process's lock, outside migrations. */
const SQLITE_BUSY_MS = 50;

/**
 * Statements that the server keeps for one connection; those that were not used for longest make room. A server keeps 16,382
 * for all of its connections unless it is told otherwise.
 */
const MOST_PREPARED = 128;

/**
 * One data source for the whole service: the tables of all features, never synchronised, only migrated.
 *
 * @param log told of a login, or of certificates, that cannot be read any more.
 * @throws {ConfigError} for certificates that cannot be used.
 */
export async function createDataSource(
  config: Config,
  features: readonly Pick<Feature, 'entities' | 'migrations'>[],
  log?: Log,
): Promise<DataSource> {
  const entities = features.flatMap((feature) => feature.entities ?? []);
  const migrations = features.flatMap((feature) => feature.migrations ?? []);
  const shared = {
    entities,
    migrations,
    migrationsTableName: MIGRATION_TABLE,
    synchronize: false,
    logging: false,
  } as const;
  return new DataSource({ ...shared, ...(await engineOptions(config, log)) } as unknown as DataSourceOptions);
}

/**
 * The drivers are this package's own, wherever npm puts them: TypeORM would look for them beside itself, and for a
 * better-sqlite3 of a major version that has no build for Node 24. Only the one that is used is loaded.
 */
async function engineOptions(config: Config, log: Log | undefined): Promise<object> {
  const { target } = config.database;
  if (target.kind === 'mysql') {
    const login = new MysqlLogin(config.database, target, log);
    const tls = new MysqlTls(config.database.tls, log);
    const parts = {
      user: () => login.current.user,
      password: () => login.current.password,
      ssl: () => tls.current ?? false,
    };
    const driver = followingDriver((await import('mysql2')).default, parts, config.database);
    return mysqlOptions(config, target, driver);
  }
  return {
    type: 'better-sqlite3',
    driver: (await import('better-sqlite3-v13')).default,
    database: target.path,
    timeout: SQLITE_BUSY_MS,
    prepareDatabase: prepareSqlite,
  };
}

/** Acknowledged means durable: a commit is on the disk when it returns (WAL with synchronous=FULL). */
function prepareSqlite(database: BetterSqlite3.Database): void {
  database.pragma('busy_timeout = 5000');
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.pragma(`busy_timeout = ${SQLITE_BUSY_MS}`);
}

function mysqlOptions(
  config: Config,
  target: Extract<Config['database']['target'], { kind: 'mysql' }>,
  driver: unknown,
): object {
  const { database } = config;
  return {
    type: 'mysql',
    driver,
    host: target.host,
    port: target.port,
    username: target.user,
    password: target.password,
    database: target.database,
    charset: 'utf8mb4_bin',
    timezone: 'Z',
    connectTimeout: database.connectTimeoutMs,
    poolSize: database.poolSize,
    multipleStatements: false,
    // A BIGINT is a number where that is exact, else text: to write each as text costs more than all else about a row.
    supportBigNumbers: true,
    bigNumberStrings: false,
    // mysql2 offers LOAD DATA LOCAL to the server unless told otherwise.
    flags: ['-LOCAL_FILES'],
    extra: {
      queueLimit: database.maxWaiters,
      maxPreparedStatements: MOST_PREPARED,
      enableKeepAlive: true,
      idleTimeout: 60_000,
      stream: streamToAddress(target.host, target.port),
    },
  };
}
