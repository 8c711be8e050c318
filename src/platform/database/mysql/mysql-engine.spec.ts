import { EventEmitter, once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type mysql2 from 'mysql2';
import type { ConnectionOptions } from 'mysql2';
import { loadConfig } from '../../config/index.js';
import { NotAskedError } from '../database-failure.js';
import { DatabaseWatch } from '../database-watch.js';
import { SessionError } from '../mysql-session.js';
import { MysqlEngine } from './mysql-engine.js';

type Done = (fault: Error | null, result?: unknown, fields?: unknown) => void;

const numbered = (errno: number): Error => Object.assign(new Error(`as ${errno}`), { errno });

/** The session variables of a server that accepts the setup of the session. */
const STATE = {
  ...{ autocommit: 1, completion_type: 'NO_CHAIN', default_storage_engine: 'InnoDB', time_zone: '+00:00' },
  sql_mode: 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION',
  ...{ foreign_key_checks: 1, unique_checks: 1, sql_auto_is_null: 0, sql_safe_updates: 0, sql_big_selects: 1 },
  ...{ sql_select_limit: '9223372036854775807', max_join_size: '18446744073709551615', max_sort_length: 1024 },
  ...{ character_set_client: 'utf8mb4', character_set_connection: 'utf8mb4', character_set_results: 'utf8mb4' },
  ...{ collation_connection: 'utf8mb4_bin', isolation: 'READ-COMMITTED', read_only: 0, log_bin: 0 },
};

/** A fake of mysql2 with a fake server. */
class FakeMysql2 {
  readonly TypedParameter = { BIGINT: (value: bigint) => ({ integer: value }) };
  readonly options: ConnectionOptions[] = [];
  destroyed = 0;
  /** The errors that refuse the login or the first statement. */
  refuses: { readonly login?: Error; readonly session?: Error } = {};
  version = '8.4.5';

  readonly createConnection = (options: ConnectionOptions) => {
    this.options.push(options);
    (options.stream as Socket).on('error', () => undefined);
    return Object.assign(new EventEmitter(), {
      connect: (done: (fault?: Error) => void) => setImmediate(() => done(this.refuses.login)),
      query: (sql: string, done: Done) => setImmediate(() => this.answer(sql, done)),
      destroy: () => (this.destroyed += 1),
    });
  };

  private answer(sql: string, done: Done): void {
    if (this.refuses.session !== undefined) return done(this.refuses.session);
    if (!sql.startsWith('SELECT')) return done(null, { affectedRows: 0, insertId: 0, serverStatus: 2 });
    done(null, [{ ...STATE, version: this.version, step: 3 }], []);
  }
}

let server: Server;
let sockets: Socket[];
let driver: FakeMysql2;

beforeEach(async () => {
  driver = new FakeMysql2();
  sockets = [];
  server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

/** Long timeouts: a machine that hangs for a second must not fail these tests. */
const PATIENT = {
  NODE_ENV: 'test',
  DATABASE_ACQUIRE_TIMEOUT_MS: '10000',
  DATABASE_QUERY_TIMEOUT_MS: '10000',
  REQUEST_DEADLINE_MS: '20000',
};

function engineOf(env: Record<string, string> = {}, host = '127.0.0.1'): MysqlEngine {
  const { port } = server.address() as AddressInfo;
  const config = loadConfig({ ...PATIENT, DATABASE_URL: `mysql://ann:word@${host}:${port}/store`, ...env });
  return new MysqlEngine(driver as unknown as typeof mysql2, config, new DatabaseWatch({}, 'mysql', 'store'));
}

describe('what mysql2 is asked for', () => {
  it('is exact values, no LOAD DATA, one statement at a time and few prepared ones', async () => {
    const engine = engineOf({ DATABASE_TLS_MODE: 'disable' });
    engine.createPool({});
    await engine.ask('SELECT 1', [], {});
    const { stream, ...options } = driver.options[0]!;
    expect(options).toStrictEqual({
      host: '127.0.0.1',
      port: (server.address() as AddressInfo).port,
      user: 'ann',
      password: 'word',
      database: 'store',
      charset: 'utf8mb4_bin',
      timezone: 'Z',
      connectTimeout: engine.settings.connectTimeoutMs,
      multipleStatements: false,
      supportBigNumbers: true,
      bigNumberStrings: false,
      dateStrings: ['DATE'],
      jsonStrings: true,
      flags: ['-LOCAL_FILES'],
      maxPreparedStatements: 128,
    });
    (stream as Socket).destroy();
  });

  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['localhost', 'localhost'],
  ])('has Node check the certificate of %s for %s', async (host, name) => {
    const engine = engineOf({}, host);
    engine.createPool({});
    await engine.ask('SELECT 1', [], {});
    expect((driver.options[0]!.stream as { _host?: string })._host).toBe(name);
  });
});

describe('a pool of MySQL', () => {
  it('is asked for nothing before there is one, nor after its end', async () => {
    const engine = engineOf();
    await expect(engine.ask('SELECT 1', [], {})).rejects.toThrow(NotAskedError);
    const pool = engine.createPool({});
    await engine.ask('SELECT 1', [], {});
    await new Promise<void>((resolve) => pool.end(() => resolve()));
    expect(driver.destroyed).toBe(1);
    expect(() => engine.pool).toThrow(NotAskedError);
  });

  it('is of the size that TypeORM says, else of the configured one', () => {
    const engine = engineOf({ DATABASE_POOL_SIZE: '7' });
    engine.createPool({});
    expect(engine.pool.state.max).toBe(7);
    engine.createPool({ connectionLimit: 3 });
    expect(engine.pool.state.max).toBe(3);
  });

  it('gives TypeORM a connection as it opens, and makes none for it', async () => {
    const pool = engineOf().createPool({});
    const connection = await new Promise<{ release(): void }>((resolve) =>
      pool.getConnection((_, one) => resolve(one)),
    );
    connection.release();
    expect(driver.options).toHaveLength(0);
  });

  it('is open to everybody until it is told when features may use it', async () => {
    const engine = engineOf();
    engine.createPool({});
    await engine.ask('SELECT 1', [], { isGated: true });
    engine.isReady = () => false;
    await expect(engine.ask('SELECT 1', [], { isGated: true })).rejects.toThrow(NotAskedError);
    await engine.ask('SELECT 1', [], {});
  });
});

describe('a new connection', () => {
  it.each([
    ['8.4.5', false, 3n],
    ['10.11.6-MariaDB', true, 1n],
  ])('to %s: MariaDB is %p, ids are %p apart', async (version, isMariaDb, idStep) => {
    driver.version = version;
    const engine = engineOf();
    engine.createPool({});
    expect(await engine.ask('INSERT INTO pet (id) VALUES (1)', [], {})).toMatchObject({ idStep });
    expect(engine.isMariaDb).toBe(isMariaDb);
  });

  it.each([
    [1820, 'as 1820'],
    [1193, "The server's sessions cannot be used: as 1193"],
  ])('whose session is refused with %d is ended, and said so', async (errno, message) => {
    driver.refuses = { session: numbered(errno) };
    const engine = engineOf();
    engine.createPool({});
    const refused = engine.ask('SELECT 1', [], {});
    await expect(refused).rejects.toThrow(message);
    expect(await refused.catch((fault: unknown) => fault instanceof SessionError)).toBe(errno !== 1820);
    expect(driver.destroyed).toBeGreaterThan(0);
  });

  it('whose login is refused is ended, with what the server says', async () => {
    driver.refuses = { login: numbered(1045) };
    const engine = engineOf();
    engine.createPool({});
    await expect(engine.ask('SELECT 1', [], {})).rejects.toMatchObject({ errno: 1045, phase: 'connect' });
    expect(driver.destroyed).toBeGreaterThan(0);
  });

  it('beside the pool ends with the work that it was made for', async () => {
    const engine = engineOf();
    const work = jest.fn(async (run: (sql: string, values: readonly unknown[]) => Promise<unknown>) =>
      run('SELECT 1', []),
    );
    expect(await engine.onOwnConnection(work)).toHaveLength(1);
    expect(driver.destroyed).toBe(1);
    await expect(engine.onOwnConnection(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(driver.destroyed).toBe(2);
  });
});
