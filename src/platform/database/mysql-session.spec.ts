import { describe, expect, it } from '@jest/globals';
import { isCommitted, SessionError, setUpSession } from './mysql-session.js';

const SETTINGS = { queryTimeoutMs: 1500, causalReads: 'off' } as const;

/** A server that returns each variable as it was set, or as the test says. */
class Server {
  readonly statements: string[] = [];

  constructor(private readonly says: Readonly<Record<string, string | number>> = {}) {}

  readonly ask = (sql: string): Promise<unknown> => {
    this.statements.push(sql);
    if (!sql.startsWith('SELECT')) return Promise.resolve({});
    const assigned = [...this.statements.join().matchAll(/(\w+) = (?:'([^']*)'|(\d+))/g)];
    const charset = Object.fromEntries(
      ['client', 'connection', 'results'].map((part) => [`character_set_${part}`, 'utf8mb4']),
    );
    const state = {
      ...Object.fromEntries(assigned.map(([, name, text, number]) => [name, text ?? number])),
      ...charset,
      collation_connection: 'utf8mb4_bin',
      isolation: 'READ-COMMITTED',
      read_only: 0,
      version: '8.4.0',
      step: 3,
      ...this.says,
    };
    return Promise.resolve([state]);
  };
}

const violations = async (says: Readonly<Record<string, string | number>>): Promise<string> =>
  setUpSession(new Server(says).ask, SETTINGS).then(
    () => 'none',
    (error: unknown) => (error as SessionError).message,
  );

describe('a session', () => {
  it('is set up by three statements, and known', async () => {
    const server = new Server();
    expect(await setUpSession(server.ask, SETTINGS)).toEqual({ idStep: 3n });
    expect(server.statements).toHaveLength(3);
    const onMariaDb = new Server({ version: '10.11.19-MariaDB', autocommit: 'ON', sql_auto_is_null: 'OFF' });
    expect(await setUpSession(onMariaDb.ask, SETTINGS)).toStrictEqual({ idStep: undefined });
  });

  it('is asked for all that statements assume, at once, and no more', async () => {
    const server = new Server();
    await setUpSession(server.ask, SETTINGS);
    expect(server.statements.slice(0, 2)).toStrictEqual([
      "SET SESSION autocommit = 1, completion_type = 'NO_CHAIN', " +
        "sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION', " +
        "default_storage_engine = 'InnoDB', time_zone = '+00:00', foreign_key_checks = 1, unique_checks = 1, " +
        'sql_auto_is_null = 0, sql_safe_updates = 0, sql_select_limit = 9223372036854775807, ' +
        'max_join_size = 18446744073709551615, sql_big_selects = 1, max_sort_length = 1024, ' +
        'innodb_lock_wait_timeout = 1, lock_wait_timeout = 1' +
        '/*!80000 , max_execution_time = 0 *//*M!100100 , max_statement_time = 0 */, NAMES utf8mb4 COLLATE utf8mb4_bin',
      'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE',
    ]);
  });

  it('waits for a lock for less than a statement may take', async () => {
    for (const [queryTimeoutMs, seconds] of [
      [200, 1],
      [1500, 1],
      [2500, 2],
      [60_000, 2],
    ] as const) {
      const server = new Server();
      await setUpSession(server.ask, { ...SETTINGS, queryTimeoutMs });
      expect(server.statements[0]).toContain(`innodb_lock_wait_timeout = ${seconds}, lock_wait_timeout = ${seconds}`);
    }
  });

  it('reads what others wrote where that is asked for, from then on', async () => {
    const server = new Server();
    await setUpSession(server.ask, { ...SETTINGS, causalReads: 'galera' });
    expect(server.statements.at(-1)).toBe('SET SESSION wsrep_sync_wait = 1');
  });

  it.each([
    [{ autocommit: 0 }, 'autocommit is 0, not 1'],
    [{ completion_type: 'CHAIN' }, 'completion_type is CHAIN, not NO_CHAIN'],
    [{ character_set_results: 'latin1' }, 'character_set_results is latin1, not utf8mb4'],
    [{ collation_connection: 'utf8mb4_0900_ai_ci' }, 'collation_connection is utf8mb4_0900_ai_ci, not utf8mb4_bin'],
    [{ sql_select_limit: '100' }, 'sql_select_limit is 100, not 9223372036854775807'],
    [{ isolation: 'REPEATABLE-READ' }, 'isolation is REPEATABLE-READ, not READ-COMMITTED'],
    [{ read_only: 1 }, 'read_only is 1, not 0'],
    [{ character_set_client: 'latin1' }, 'character_set_client is latin1, not utf8mb4'],
    [{ character_set_connection: 'latin1' }, 'character_set_connection is latin1, not utf8mb4'],
    [{ collation_connection: 'utf8mb4_general_ci' }, 'collation_connection is utf8mb4_general_ci, not utf8mb4_bin'],
    [{ log_bin: '1', binlog_format: 'STATEMENT' }, 'binlog_format is STATEMENT'],
    [{ log_bin: 'ON', sql_log_bin: '0' }, 'sql_log_bin is 0'],
  ])('that is otherwise after all (%j) is refused, and what it is is named', async (says, named) => {
    expect(await violations(says)).toContain(named);
  });

  it.each([
    { log_bin: '0', binlog_format: 'STATEMENT' },
    { version: '8.4.6-Vitess', collation_connection: 'utf8mb4_0900_ai_ci' },
    { log_bin: '1', binlog_format: 'MIXED', sql_log_bin: '1' },
    { sql_mode: 'NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO,NO_ZERO_DATE,NO_ZERO_IN_DATE,STRICT_ALL_TABLES' },
  ])('that is as it should be, in other words (%j), is used', async (says) => {
    expect(await violations(says)).toBe('none');
  });
});

it.each([
  [2, true],
  [2 | 16_384, true],
  [3, false],
  [0, false],
  [1, false],
  [undefined, true],
])('status %p of an answer: committed is %p', (serverStatus, committed) => {
  expect(isCommitted({ serverStatus })).toBe(committed);
});
