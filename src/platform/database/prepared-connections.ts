import type mysql2 from 'mysql2';
import { cut, queryOn, type MysqlConnection } from './mysql-connection.js';
import { causeOf, isRefusedByServer, type MysqlFault } from './mysql-failure.js';
import { SessionError, setUpSession, type SessionFacts, type SessionSettings } from './mysql-session.js';
import type { Integer } from './sql-values.js';

type Taken = (fault: Error | null, connection: MysqlConnection) => void;

/** The part of a mysql2 pool that is used here. How full it is, nothing tells but its private fields. */
interface RawPool {
  readonly _allConnections: { readonly length: number };
  readonly config: { connectionLimit: number };
  getConnection: (taken: Taken) => void;
}

interface PreparedSession extends SessionFacts {
  /** When it was set up, as `performance.now()` gives it. */
  readonly since: number;
  readonly integer: Integer;
}

const sessions = new WeakMap<MysqlConnection, PreparedSession>();

/** What is known of the session of a connection that the pool gave. */
export function sessionOf(connection: MysqlConnection): PreparedSession {
  return sessions.get(connection) as PreparedSession;
}

/** Milliseconds, up to twice as many, for which no new connection is tried for after the server refused one. */
const HOLD_BACK_MS = 1000;

/** The login is taken, and refused at the first statement. */
const PASSWORD_EXPIRED = 1820;

/** MariaDB's numbers for which mysql2 has the name that MySQL gave to something else. */
const NAMES: ReadonlyMap<number, { code: string }> = new Map([[4151, { code: 'ER_ACCOUNT_HAS_BEEN_LOCKED' }]]);

/**
 * Lets a pool give out no connection whose session is not set up, whoever asks: statements, migrations, their lock and
 * TypeORM itself. One whose session cannot be had is destroyed, and whoever asked gets the fault.
 *
 * After the server refused a login or a session, no other is tried for a while: those connections that there are do all the
 * work, and where there are none everybody gets the same fault. Logins at each request would keep the server busy with
 * refusing, and may lock the account.
 */
export function prepareConnections(pool: mysql2.Pool, settings: SessionSettings, integer: Integer): void {
  const raw = pool as unknown as RawPool;
  const take = raw.getConnection.bind(raw);
  const limit = raw.config.connectionLimit;
  let refusal: Error | undefined;
  const holdBack = (fault: Error): void => {
    if (refusal !== undefined || !isRefusedByServer(fault)) return;
    refusal = fault;
    raw.config.connectionLimit = 1;
    const goOn = (): void => {
      refusal = undefined;
      raw.config.connectionLimit = limit;
    };
    setTimeout(goOn, HOLD_BACK_MS * (1 + Math.random())).unref();
  };
  // mysql2 comes here again for each that waits in its queue.
  raw.getConnection = (taken) => {
    const failed: Taken = (fault, connection) => {
      // mysql2 says of some only that the connection is lost with it.
      const lost = Object.assign(fault as Error, { fatal: true }, NAMES.get((fault as MysqlFault).errno ?? 0));
      holdBack(lost);
      taken(lost, connection);
    };
    if (refusal !== undefined && raw._allConnections.length === 0) {
      const fault = refusal;
      process.nextTick(() => taken(fault, undefined as never));
      return;
    }
    take((fault, connection) => {
      if (fault) return failed(fault, connection);
      if (sessions.has(connection)) return taken(null, connection);
      prepare(connection, settings, integer).then(
        () => taken(null, connection),
        (error: unknown) => failed(error as Error, connection),
      );
    });
  };
}

async function prepare(connection: MysqlConnection, settings: SessionSettings, integer: Integer): Promise<void> {
  // Without a listener an error between two statements would end the process.
  connection.on('error', () => undefined);
  try {
    const facts = await setUpSession((sql) => queryOn(connection, sql, settings.queryTimeoutMs), settings);
    sessions.set(connection, { ...facts, since: performance.now(), integer });
  } catch (error) {
    cut(connection);
    const fault = causeOf(error);
    const { errno = 0, message } = fault;
    if (errno === PASSWORD_EXPIRED) throw fault;
    throw errno > 0 ? new SessionError([message], { cause: error }) : error;
  }
}
