/** Limit for the wait for a row lock or a table lock. Seconds. */
const LONGEST_LOCK_WAIT_S = 2;

/**
 * The session variables that statements of this service assume. They override the defaults and `init_connect` of the
 * server.
 */
const ASSUMED: Readonly<Record<string, string | number>> = {
  // Each statement outside a transaction is durable when it is acknowledged. A COMMIT does not begin another
  // transaction.
  autocommit: 1,
  completion_type: 'NO_CHAIN',
  sql_mode: 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION',
  // Tables of other engines are not transactional, and a Galera cluster does not replicate them.
  default_storage_engine: 'InnoDB',
  time_zone: '+00:00',
  foreign_key_checks: 1,
  unique_checks: 1,
  sql_auto_is_null: 0,
  // Results are complete, and no statement is refused because of a missing WHERE or LIMIT.
  sql_safe_updates: 0,
  // Vitess accepts no larger value.
  sql_select_limit: '9223372036854775807',
  max_join_size: '18446744073709551615',
  sql_big_selects: 1,
  max_sort_length: 1024,
};

/** SET NAMES and SET TRANSACTION set these. */
const CONSEQUENCES: Readonly<Record<string, string | number>> = {
  character_set_client: 'utf8mb4',
  character_set_connection: 'utf8mb4',
  character_set_results: 'utf8mb4',
  collation_connection: 'utf8mb4_bin',
  isolation: 'READ-COMMITTED',
  read_only: 0,
};

/**
 * MySQL 8.0 and later runs the first comment, and MariaDB the second. Each server ignores the comment of the other one.
 */
const TIME_LIMIT = '/*!80000 , max_execution_time = 0 *//*M!100100 , max_statement_time = 0 */';
const TRANSACTION = [
  '/*!80000 , @@transaction_isolation AS isolation, @@transaction_read_only AS read_only */',
  '/*M!100100 , @@tx_isolation AS isolation, @@tx_read_only AS read_only */',
].join('');

const READ_BACK = `SELECT @@version AS version, @@auto_increment_increment AS step, ${[
  ...Object.keys(ASSUMED),
  ...Object.keys(CONSEQUENCES).slice(0, -2),
  'log_bin',
  'sql_log_bin',
  'binlog_format',
]
  .map((name) => `CAST(@@${name} AS CHAR) AS ${name}`)
  .join(', ')}${TRANSACTION}`;

export interface SessionSettings {
  /** Limit of one statement. Milliseconds. */
  readonly queryTimeoutMs: number;
  /** Whether a read waits until this node of a Galera cluster has applied the writes of the other nodes. */
  readonly causalReads: 'off' | 'galera';
}

/** What is known of a session after its setup. */
export interface SessionFacts {
  /** The difference between the ids of one INSERT; undefined on MariaDB, which returns each id. */
  readonly idStep: bigint | undefined;
}

/** Runs one statement as text, and returns its rows. */
type Ask = (sql: string) => Promise<unknown>;

/** The server does not set the session variables that statements assume. The connection must not be used. */
export class SessionError extends Error {
  readonly code = 'DATABASE_SESSION';

  constructor(violations: readonly string[], options?: ErrorOptions) {
    super(`The server's sessions cannot be used: ${violations.join('; ')}`, options);
    this.name = 'SessionError';
  }
}

/**
 * Sets the session variables of a new connection, and reads them back. This takes three round trips, and a fourth one
 * with causal reads.
 *
 * @throws {SessionError} (rejects) with all variables that have another value. Otherwise it rejects with the error of
 * `ask`.
 */
export async function setUpSession(ask: Ask, settings: SessionSettings): Promise<SessionFacts> {
  await ask(setStatement(lockWaitSeconds(settings)));
  await ask('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE');
  const [state = {}] = (await ask(READ_BACK)) as Record<string, unknown>[];
  const violations = sessionViolations(state);
  if (violations.length > 0) throw new SessionError(violations);
  // This is the last statement, because the others return the same on a node that is behind.
  if (settings.causalReads === 'galera') await ask('SET SESSION wsrep_sync_wait = 1');
  const isMariaDb = String(state['version']).includes('MariaDB');
  return { idStep: isMariaDb ? undefined : BigInt(state['step'] as number) };
}

/** The session variables that differ from what statements assume, one sentence each. */
export function sessionViolations(state: Readonly<Record<string, unknown>>): string[] {
  const expected = Object.entries({ ...ASSUMED, ...CONSEQUENCES });
  // Vitess has its own collation for literals. A comparison with a column uses the collation of the column.
  const isFree = (name: string): boolean =>
    name === 'collation_connection' && String(state['version']).endsWith('-Vitess');
  const violations = expected
    .filter(([name]) => !isFree(name))
    .filter(([name, value]) => !isSame(String(state[name]), String(value)))
    .map(([name, value]) => `${name} is ${String(state[name])}, not ${String(value)}`);
  const isLogged = isSame(String(state['log_bin']), '1');
  // The server would refuse each write with error 1665.
  if (isLogged && state['binlog_format'] === 'STATEMENT')
    violations.push('binlog_format is STATEMENT, which takes no write at READ COMMITTED; set it to ROW or MIXED');
  if (isLogged && isSame(String(state['sql_log_bin']), '0'))
    violations.push('sql_log_bin is 0, so replicas would not get what is written');
  return violations;
}

/**
 * Compares values of a variable. The server returns the words of a list such as `sql_mode` in any order, and MariaDB
 * returns ON or OFF for a switch.
 */
function isSame(one: string, other: string): boolean {
  const plain = (text: string): string =>
    text === 'ON' || text === 'OFF' ? String(Number(text === 'ON')) : text.toLowerCase().split(',').sort().join();
  return plain(one) === plain(other);
}

function setStatement(lockWait: number): string {
  const variables = { ...ASSUMED, innodb_lock_wait_timeout: lockWait, lock_wait_timeout: lockWait };
  const assignments = Object.entries(variables).map(
    ([name, value]) => `${name} = ${/^\d+$/.test(String(value)) ? value : `'${value}'`}`,
  );
  return `SET SESSION ${assignments.join(', ')}${TIME_LIMIT}, NAMES utf8mb4 COLLATE utf8mb4_bin`;
}

/**
 * Shorter than the limit of a statement, so that the server reports the failed wait before the service closes the
 * connection.
 */
function lockWaitSeconds({ queryTimeoutMs }: SessionSettings): number {
  return Math.min(LONGEST_LOCK_WAIT_S, Math.max(1, Math.ceil(queryTimeoutMs / 1000) - 1));
}

/** Bits of the status that the server sends after each statement that returns no rows. */
const IN_TRANSACTION = 1;
const AUTOCOMMIT = 2;

/**
 * Whether the server says that a statement outside a transaction, or a COMMIT, is committed.
 *
 * @param answer the result of mysql2. Rows have no status and count as committed.
 */
export function isCommitted(answer: unknown): boolean {
  const { serverStatus } = answer as { serverStatus?: number };
  return serverStatus === undefined || (serverStatus & (IN_TRANSACTION | AUTOCOMMIT)) === AUTOCOMMIT;
}
