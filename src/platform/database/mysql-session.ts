/** Most seconds for which a statement waits for a row or a table lock. */
const LONGEST_LOCK_WAIT_S = 2;

/** What the statements of this service assume of their session, whatever the server's defaults or `init_connect` are. */
const ASSUMED: Readonly<Record<string, string | number>> = {
  // Each statement outside a transaction is durable when it is answered; a COMMIT opens no further transaction.
  autocommit: 1,
  completion_type: 'NO_CHAIN',
  sql_mode: 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION',
  // A table of another engine is not transactional, nor, on a Galera cluster, there on the other nodes.
  default_storage_engine: 'InnoDB',
  time_zone: '+00:00',
  foreign_key_checks: 1,
  unique_checks: 1,
  sql_auto_is_null: 0,
  // A list is whole, and no statement is refused for what it does not say.
  sql_safe_updates: 0,
  // Vitess takes no larger one.
  sql_select_limit: '9223372036854775807',
  max_join_size: '18446744073709551615',
  sql_big_selects: 1,
  max_sort_length: 1024,
};

/** Set by SET NAMES and SET TRANSACTION. */
const CONSEQUENCES: Readonly<Record<string, string | number>> = {
  character_set_client: 'utf8mb4',
  character_set_connection: 'utf8mb4',
  character_set_results: 'utf8mb4',
  collation_connection: 'utf8mb4_bin',
  isolation: 'READ-COMMITTED',
  read_only: 0,
};

/** Each server reads its own comment and passes over the other's: MySQL from 8.0 on, and MariaDB. */
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
  /** Milliseconds that a statement may take. */
  readonly queryTimeoutMs: number;
  /** Whether a read waits until this node of a Galera cluster has what the others have. */
  readonly causalReads: 'off' | 'galera';
}

/** What a session is like that is set up. */
export interface SessionFacts {
  /** How far apart the ids of one INSERT are; undefined on MariaDB, which says each of them. */
  readonly idStep: bigint | undefined;
}

/** Runs one statement as text, and gives its rows. */
type Ask = (sql: string) => Promise<unknown>;

/** The server does not put a session into the state that statements assume. Nothing may be asked on that connection. */
export class SessionError extends Error {
  readonly code = 'DATABASE_SESSION';

  constructor(violations: readonly string[], options?: ErrorOptions) {
    super(`The server's sessions cannot be used: ${violations.join('; ')}`, options);
    this.name = 'SessionError';
  }
}

/**
 * Puts a new connection into the state that statements assume, and reads the state back. Three round trips, one
 * more with causal reads.
 *
 * @throws {SessionError} (rejects) with everything that could not be had. Else what `ask` rejects with.
 */
export async function setUpSession(ask: Ask, settings: SessionSettings): Promise<SessionFacts> {
  await ask(setStatement(lockWaitSeconds(settings)));
  await ask('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE');
  const [state = {}] = (await ask(READ_BACK)) as Record<string, unknown>[];
  const violations = sessionViolations(state);
  if (violations.length > 0) throw new SessionError(violations);
  // Last: what is asked before is the same on a node that is behind.
  if (settings.causalReads === 'galera') await ask('SET SESSION wsrep_sync_wait = 1');
  const isMariaDb = String(state['version']).includes('MariaDB');
  return { idStep: isMariaDb ? undefined : BigInt(state['step'] as number) };
}

/** What of a session, as it was read back, is not as statements assume it. */
export function sessionViolations(state: Readonly<Record<string, unknown>>): string[] {
  const expected = Object.entries({ ...ASSUMED, ...CONSEQUENCES });
  // Vitess keeps its own for literals. What is compared with a column has that of the column.
  const isFree = (name: string): boolean =>
    name === 'collation_connection' && String(state['version']).endsWith('-Vitess');
  const violations = expected
    .filter(([name]) => !isFree(name))
    .filter(([name, value]) => !isSame(String(state[name]), String(value)))
    .map(([name, value]) => `${name} is ${String(state[name])}, not ${String(value)}`);
  const isLogged = isSame(String(state['log_bin']), '1');
  // Error 1665 at each write.
  if (isLogged && state['binlog_format'] === 'STATEMENT')
    violations.push('binlog_format is STATEMENT, which takes no write at READ COMMITTED; set it to ROW or MIXED');
  if (isLogged && isSame(String(state['sql_log_bin']), '0'))
    violations.push('sql_log_bin is 0, so replicas would not get what is written');
  return violations;
}

/** The server gives the words of a list, as `sql_mode` is, in an order of its own, and MariaDB a switch as a word. */
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

/** Below the time of a statement, so that the server says "not done" before the connection is given up on. */
function lockWaitSeconds({ queryTimeoutMs }: SessionSettings): number {
  return Math.min(LONGEST_LOCK_WAIT_S, Math.max(1, Math.ceil(queryTimeoutMs / 1000) - 1));
}

/** Bits of the status that the server sends with the answer to each statement that returns no rows. */
const IN_TRANSACTION = 1;
const AUTOCOMMIT = 2;

/**
 * Whether what was just done outside a transaction, or by a COMMIT, is committed, by the server's own answer.
 *
 * @param answer as mysql2 gives it; rows come without a status.
 */
export function isCommitted(answer: unknown): boolean {
  const { serverStatus } = answer as { serverStatus?: number };
  return serverStatus === undefined || (serverStatus & (IN_TRANSACTION | AUTOCOMMIT)) === AUTOCOMMIT;
}
