import { describe, expect, it } from '@jest/globals';
import type { DatabaseWatch } from '../database-watch.js';
import type { RetryBudget } from '../retry-budget.js';
import type { MysqlConnection } from './mysql-connection.js';
import { MysqlLease, type LeaseTerms } from './mysql-lease.js';
import type { MysqlPool } from './mysql-pool.js';

const DEADLOCK = Object.assign(new Error('Deadlock found'), { errno: 1213, code: 'ER_LOCK_DEADLOCK' });
const settings = { acquireTimeoutMs: 500, queryTimeoutMs: 500 };
const nothing = (): void => undefined;

/** A lease of a connection that says what `answer` does, and the statements that reached it. */
function leased(answer: (sql: string) => unknown): { lease: MysqlLease; sent: string[]; outages: string[] } {
  const sent: string[] = [];
  const outages: string[] = [];
  const connection = {
    run: async (sql: string): Promise<unknown> => {
      sent.push(sql);
      await Promise.resolve();
      return answer(sql);
    },
  } as unknown as MysqlConnection;
  const pool = { acquire: () => Promise.resolve(connection), release: nothing, discard: nothing };
  const watch = { connected: nothing, gaveBack: nothing, ran: nothing, refused: (sql: string) => outages.push(sql) };
  const budget = { earn: nothing, retry: (work: () => Promise<unknown>) => work() };
  const terms: LeaseTerms = {
    settings,
    pool: pool as unknown as MysqlPool,
    watch: watch as unknown as DatabaseWatch,
    budget: budget as unknown as RetryBudget,
    requireReady: nothing,
  };
  return { lease: new MysqlLease(terms), sent, outages };
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
