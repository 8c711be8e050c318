import { describe, expect, it, jest } from '@jest/globals';
import { NotAskedError } from '../database-failure.js';
import type { DatabaseWatch } from '../database-watch.js';
import { RetryBudget } from '../retry-budget.js';
import type { MysqlConnection } from './mysql-connection.js';
import { MysqlLease, type LeaseOptions, type LeaseTerms } from './mysql-lease.js';
import type { MysqlPool } from './mysql-pool.js';

const DEADLOCK = Object.assign(new Error('Deadlock found'), { errno: 1213, code: 'ER_LOCK_DEADLOCK' });
const settings = { acquireTimeoutMs: 500, queryTimeoutMs: 500 };
const nothing = (): void => undefined;

/** A lease whose connection answers with `answer`, and the statements that reached it. */
function leased(answer: (sql: string) => unknown, options?: LeaseOptions) {
  const sent: string[] = [];
  const outages: string[] = [];
  const ran: unknown[][] = [];
  const given: [how: string, fault?: unknown][] = [];
  const connection = {
    run: async (sql: string): Promise<unknown> => {
      sent.push(sql);
      await Promise.resolve();
      return answer(sql);
    },
  } as unknown as MysqlConnection;
  const pool = {
    acquire: () => Promise.resolve(connection),
    release: (_: unknown, fault?: unknown) => given.push(fault === undefined ? ['released'] : ['released', fault]),
    discard: () => given.push(['destroyed']),
  };
  const watch = {
    connected: nothing,
    gaveBack: nothing,
    ran: (sql: string, _startedAt: number, fault?: object) => ran.push(fault === undefined ? [sql] : [sql, fault]),
    refused: (sql: string) => outages.push(sql),
    retried: nothing,
    unreachable: (fault: unknown) => outages.push(`unreachable ${String(fault)}`),
  };
  const budget = new RetryBudget();
  const terms: LeaseTerms = {
    settings,
    pool: pool as unknown as MysqlPool,
    watch: watch as unknown as DatabaseWatch,
    budget,
    requireReady: nothing,
  };
  return { lease: new MysqlLease(terms, options), sent, outages, ran, given, terms };
}

const COMMITTED = { serverStatus: 2 };

describe('statements that are sent together', () => {
  it('do not follow one that ended their transaction', async () => {
    const { lease, sent } = leased((sql) => {
      if (sql === 'UPDATE 1') throw DEADLOCK;
      return COMMITTED;
    });
    await lease.run('START TRANSACTION');
    const updates = await Promise.allSettled([lease.run('UPDATE 1'), lease.run('UPDATE 2'), lease.run('UPDATE 3')]);
    expect(updates.map(({ status }) => status)).toStrictEqual(['rejected', 'rejected', 'rejected']);
    await lease.run('ROLLBACK');
    expect(sent).toStrictEqual(['START TRANSACTION', 'UPDATE 1', 'ROLLBACK']);
  });

  it('are done before the end that is asked for with them', async () => {
    const { lease, sent } = leased(() => COMMITTED);
    await lease.run('START TRANSACTION');
    await Promise.all(['UPDATE 1', 'UPDATE 2', 'COMMIT'].map((sql) => lease.run(sql)));
    expect(sent).toStrictEqual(['START TRANSACTION', 'UPDATE 1', 'UPDATE 2', 'COMMIT']);
  });
});

describe('a COMMIT', () => {
  it.each([
    [
      'whose answer is lost is an outage, and its outcome unknown',
      'PROTOCOL_CONNECTION_LOST',
      undefined,
      ['COMMIT'],
      'unknown',
    ],
    ['that another transaction was in the way of is neither', 'ER_LOCK_DEADLOCK', 1213, [], undefined],
  ])('%s', async (_what, code, errno, outages, outcome) => {
    const fault = Object.assign(new Error(code), { code, ...(errno !== undefined && { errno }) });
    const leasing = leased((sql) => {
      if (sql === 'COMMIT') throw fault;
      return COMMITTED;
    });
    await leasing.lease.run('START TRANSACTION');
    await expect(leasing.lease.run('COMMIT')).rejects.toBe(fault);
    expect(leasing.outages).toStrictEqual(outages);
    expect((fault as { outcome?: string }).outcome).toBe(outcome);
  });
});

const numbered = (errno: number): Error => Object.assign(new Error(`as ${errno}`), { errno, code: `ER_${errno}` });

/** Refuses this statement once, and accepts all others. */
function refusing(sql: string, fault: Error, options?: LeaseOptions) {
  let isFirst = true;
  return leased((sent) => {
    if (sent !== sql || !isFirst) return COMMITTED;
    isFirst = false;
    throw fault;
  }, options);
}

describe('a statement outside of a transaction', () => {
  it.each([1213, 1205, 1047, 1290])('runs again where nothing was done of it (%d)', async (errno) => {
    const { lease, sent } = refusing('UPDATE 1', numbered(errno));
    expect(await lease.run('UPDATE 1')).toBe(COMMITTED);
    expect(sent).toStrictEqual(['UPDATE 1', 'UPDATE 1']);
  });

  it.each([
    ['UPDATE 1', 'unknown'],
    ['SELECT 1', undefined],
  ])('does not where it may have been done, and says so of a write: %s', async (sql, outcome) => {
    const fault = numbered(1317) as Error & { outcome?: string };
    const { lease, sent, outages } = refusing(sql, fault);
    await expect(lease.run(sql)).rejects.toBe(fault);
    expect([sent, outages, fault.outcome]).toStrictEqual([[sql], [sql], outcome]);
  });

  it('that the server did not commit is a fault of its connection, and its outcome unknown', async () => {
    const { lease, given } = leased(() => ({ serverStatus: 1 }));
    await expect(lease.run('UPDATE 1')).rejects.toMatchObject({ code: 'DATABASE_NOT_COMMITTED', outcome: 'unknown' });
    expect(given).toMatchObject([['released', { code: 'DATABASE_NOT_COMMITTED' }]]);
  });

  it('is counted as it ends; what steers a transaction is not', async () => {
    const { lease, ran } = refusing('UPDATE 2', numbered(1062));
    await lease.run('START TRANSACTION');
    await lease.run('UPDATE 1');
    await lease.run('COMMIT');
    await expect(lease.run('UPDATE 2')).rejects.toThrow('as 1062');
    expect(ran).toStrictEqual([['UPDATE 1'], ['UPDATE 2', { type: '1062', status: '1062' }]]);
  });

  it('is refused with a value that no column stores, before anything is sent', async () => {
    const { lease, sent } = leased(() => COMMITTED);
    await expect(lease.run('UPDATE toy SET a = ?', [undefined])).rejects.toThrow(TypeError);
    expect(sent).toStrictEqual([]);
  });

  it('has whole numbers as such, in a transaction and outside', async () => {
    const { lease, terms } = leased(() => COMMITTED);
    const run = jest.fn((_sql: string, _values: readonly unknown[]) => Promise.resolve(COMMITTED));
    Object.assign(await terms.pool.acquire(), { run });
    await lease.run('UPDATE toy SET a = ?', [7]);
    await lease.run('START TRANSACTION');
    await lease.run('UPDATE toy SET a = ?', [8]);
    expect(run.mock.calls.map(([, values]) => values)).toStrictEqual([[7n], [], [8n]]);
  });

  it('has the time that is asked for, else the configured one', async () => {
    for (const [options, expected] of [
      [undefined, 500],
      [{ timeoutMs: Infinity }, Infinity],
    ] as const) {
      const { lease, terms } = leased(() => COMMITTED, options);
      const run = jest.fn((_sql: string, _values: readonly unknown[], _timeoutMs: number) =>
        Promise.resolve(COMMITTED),
      );
      const connection = await terms.pool.acquire();
      Object.assign(connection, { run });
      for (const sql of ['START TRANSACTION', 'UPDATE 1', 'COMMIT', 'ROLLBACK']) await lease.run(sql);
      expect(run.mock.calls.map(([, , timeoutMs]) => timeoutMs)).toStrictEqual(Array(4).fill(expected));
    }
  });
});

describe('a connection that is not to be had', () => {
  it('is an outage, but where nobody was asked', async () => {
    const { lease, terms, outages } = leased(() => COMMITTED);
    const refuse = (fault: Error) => Object.assign(terms.pool, { acquire: () => Promise.reject(fault) });
    refuse(new NotAskedError('Too many wait'));
    await expect(lease.run('SELECT 1')).rejects.toThrow(NotAskedError);
    expect(outages).toStrictEqual([]);
    refuse(numbered(1045));
    await expect(lease.run('SELECT 1')).rejects.toThrow('as 1045');
    expect(outages).toStrictEqual(['unreachable Error: as 1045']);
  });

  it('is asked for again where the network refused it', async () => {
    const { lease, terms, outages } = leased(() => COMMITTED);
    const { acquire } = terms.pool;
    const fault = Object.assign(new Error('refused'), { errno: -111, code: 'ECONNREFUSED' });
    const asked = jest.fn<typeof acquire>().mockRejectedValueOnce(fault).mockImplementation(acquire);
    Object.assign(terms.pool, { acquire: asked });
    expect(await lease.run('INSERT 1')).toBe(COMMITTED);
    expect(outages).toStrictEqual(['unreachable Error: refused']);
  });

  it('is not asked for before features may use the database', async () => {
    for (const isGated of [true, false]) {
      const { lease, terms, sent } = leased(() => COMMITTED, { isGated });
      terms.requireReady = () => {
        throw new NotAskedError('The database is not ready yet');
      };
      const run = lease.run('SELECT 1');
      if (isGated) await expect(run).rejects.toThrow(NotAskedError);
      else await run;
      expect(sent).toHaveLength(isGated ? 0 : 1);
    }
  });
});

describe('the end of a lease', () => {
  it.each([
    [[], []],
    [['SELECT 1'], [['released']]],
    [['START TRANSACTION', 'COMMIT'], [['released']]],
    [['START TRANSACTION', 'ROLLBACK'], [['released']]],
    [['START TRANSACTION', 'UPDATE 1'], [['destroyed']]],
    [['SET @@sql_mode = 1'], [['destroyed']]],
    [['USE other'], [['destroyed']]],
    [['LOCK TABLES pet READ'], [['destroyed']]],
    [['CREATE TEMPORARY TABLE a (b INT)'], [['destroyed']]],
    [['SET TRANSACTION ISOLATION LEVEL SERIALIZABLE'], [['destroyed']]],
    [['SET TRANSACTION ISOLATION LEVEL SERIALIZABLE', 'START TRANSACTION', 'COMMIT'], [['released']]],
  ])('after %j: %j', async (statements, expected) => {
    const { lease, given } = leased(() => COMMITTED);
    for (const sql of statements) await lease.run(sql);
    lease.release();
    lease.release();
    expect(given).toStrictEqual(expected);
  });

  it('of a transaction that cannot be rolled back is that of its connection', async () => {
    const { lease, given } = refusing('ROLLBACK', numbered(1317));
    await lease.run('START TRANSACTION');
    await lease.run('ROLLBACK');
    lease.release();
    expect(given).toStrictEqual([['destroyed']]);
    await lease.run('SELECT 1');
    lease.release();
    expect(given).toStrictEqual([['destroyed'], ['released']]);
  });
});

describe('a transaction', () => {
  it('whose connection is lost refuses all that is still asked of it, with the same fault, and is not begun again', async () => {
    const fault = Object.assign(new Error('lost'), { code: 'PROTOCOL_CONNECTION_LOST', fatal: true });
    const { lease, sent, given } = refusing('UPDATE 1', fault);
    await lease.run('START TRANSACTION');
    for (const sql of ['UPDATE 1', 'UPDATE 2', 'COMMIT']) await expect(lease.run(sql)).rejects.toBe(fault);
    await lease.run('ROLLBACK');
    expect(sent).toStrictEqual(['START TRANSACTION', 'UPDATE 1']);
    expect(given).toStrictEqual([['released', fault]]);
    await lease.run('START TRANSACTION');
    await lease.run('COMMIT');
    expect(sent.slice(2)).toStrictEqual(['START TRANSACTION', 'COMMIT']);
  });

  it('goes on after a statement that was refused alone', async () => {
    const { lease, sent } = refusing('INSERT 1', numbered(1062));
    await lease.run('START TRANSACTION');
    await expect(lease.run('INSERT 1')).rejects.toThrow('as 1062');
    await lease.run('INSERT 2');
    await lease.run('COMMIT');
    expect(sent).toStrictEqual(['START TRANSACTION', 'INSERT 1', 'INSERT 2', 'COMMIT']);
  });

  it('has its statements once: none of them runs again by itself', async () => {
    const { lease, sent } = refusing('UPDATE 1', numbered(1205));
    await lease.run('START TRANSACTION');
    await expect(lease.run('UPDATE 1')).rejects.toThrow('as 1205');
    expect(sent).toStrictEqual(['START TRANSACTION', 'UPDATE 1']);
  });
});

it('a session of its own that is lost is not made anew behind the back of who changed it', async () => {
  const fault = numbered(1290);
  const { lease, sent } = refusing('UPDATE 1', fault);
  await lease.run('SET @@sql_mode = 1');
  for (const sql of ['UPDATE 1', 'UPDATE 2']) await expect(lease.run(sql)).rejects.toBe(fault);
  expect(sent).toStrictEqual(['SET @@sql_mode = 1', 'UPDATE 1']);
});
