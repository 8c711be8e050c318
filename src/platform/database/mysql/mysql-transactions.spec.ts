import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EntitySchema } from 'typeorm';
import { PlatformDataSource } from '../data-source.js';
import { RetryBudget } from '../retry-budget.js';
import { StatementLog } from '../statement-log.js';
import type { MysqlEngine } from './mysql-engine.js';

const Note = new EntitySchema<{ id?: number; text: string }>({
  name: 'note',
  columns: { id: { type: 'int', primary: true, generated: 'increment' }, text: { type: 'varchar' } },
});

const fault = (errno: number) => Object.assign(new Error('as the server says'), { errno, code: `ER_${errno}` });

/** The statements that were sent, each with the number of its connection. */
let sent: string[];
/** The statements to refuse, once each. */
let refusals: { readonly statement: RegExp; readonly errno: number }[];
/** The numbers of the connections that were destroyed, and of those that returned to the pool. */
let gone: number[];
let kept: number[];
let dataSource: PlatformDataSource;

/** A connection to MySQL 8. It returns the first id of an INSERT, also if the statement contains this id. */
function connection(number: number, nextId: () => number) {
  return {
    number,
    run: (sql: string, values: readonly unknown[]) => {
      sent.push(`${number} ${sql}`);
      const index = refusals.findIndex(({ statement }) => statement.test(sql));
      if (index >= 0) return Promise.reject(fault(refusals.splice(index, 1)[0]!.errno));
      const own = values.find((value) => typeof value === 'bigint');
      const insertId = sql.startsWith('INSERT') ? Number(own ?? nextId()) : 0;
      return Promise.resolve({ affectedRows: 1, insertId, serverStatus: 2 });
    },
  };
}

function fakeEngine(): MysqlEngine {
  let connections = 0;
  let lastId = 0;
  const watch = new Proxy({}, { get: () => jest.fn() });
  const pool = {
    acquire: () => Promise.resolve(connection((connections += 1), () => (lastId += 1))),
    release: ({ number }: { number: number }, reason?: Error) => void (reason ? gone : kept).push(number),
    discard: ({ number }: { number: number }) => void gone.push(number),
  };
  const settings = { acquireTimeoutMs: 60_000, queryTimeoutMs: 60_000 };
  return { budget: new RetryBudget(), settings, watch, pool, isMariaDb: false, requireReady: () => undefined } as never;
}

beforeEach(async () => {
  [sent, refusals, gone, kept] = [[], [], [], []];
  const logger = new StatementLog(undefined, false);
  const driver = { createPool: () => undefined };
  dataSource = new PlatformDataSource(
    { type: 'mysql', database: 'animals', entities: [Note], logger, driver },
    fakeEngine(),
  );
  await dataSource.prepare();
});

describe('rows of which some have an id of their own', () => {
  const rows = () => [{ text: 'a' }, { id: 70, text: 'b' }, { text: 'c' }];
  const insert = (runner?: ReturnType<PlatformDataSource['createQueryRunner']>) =>
    dataSource.createQueryBuilder(Note, 'note', runner).insert().values(rows()).execute();

  it('have the ids of the try that was committed, and of no other', async () => {
    refusals.push({ statement: /^INSERT.*\(\?, \?\)/, errno: 1213 });
    const { identifiers, generatedMaps } = await insert();
    expect(sent.map((line) => line.slice(2).split(' ', 1)[0])).toStrictEqual([
      'START',
      'INSERT',
      'INSERT',
      'ROLLBACK',
      'START',
      'INSERT',
      'INSERT',
      'INSERT',
      'COMMIT',
    ]);
    expect(identifiers).toEqual([{ id: 2 }, { id: 70 }, { id: 3 }]);
    expect(generatedMaps).toHaveLength(3);
  });

  it('go by the query runner that was asked for, in a transaction', async () => {
    const runner = dataSource.createQueryRunner();
    await insert(runner);
    await runner.release();
    expect(new Set(sent.map((line) => line[0]))).toEqual(new Set(['1']));
    expect(sent.map((line) => line.slice(2).split(' ', 1)[0])).toStrictEqual([
      'START',
      'INSERT',
      'INSERT',
      'INSERT',
      'COMMIT',
    ]);
  });
});

describe('an isolation level', () => {
  const SET = 'SET TRANSACTION ISOLATION LEVEL SERIALIZABLE';

  it('is asked for again on the connection that the transaction begins on', async () => {
    refusals.push({ statement: /^START/, errno: 1047 });
    await dataSource.transaction('SERIALIZABLE', () => Promise.resolve());
    expect(sent).toEqual([`1 ${SET}`, '1 START TRANSACTION', `2 ${SET}`, '2 START TRANSACTION', '2 COMMIT']);
    expect([gone, kept]).toEqual([[1], [2]]);
  });

  it('is left to nobody else where the transaction was not begun', async () => {
    const runner = dataSource.createQueryRunner();
    await runner.query(SET);
    await runner.release();
    expect([gone, kept]).toEqual([[1], []]);
  });
});

it.each(['SELECT\n  GET_LOCK(?, 1)', '\n SET SESSION sql_mode = ?', 'SELECT id,\nGET_LOCK(?, 1) FROM note'])(
  '%j changes the session, so nobody else gets the connection, also after a transaction',
  async (sql) => {
    const runner = dataSource.createQueryRunner();
    await runner.query(sql, ['a']);
    await runner.startTransaction('SERIALIZABLE');
    await runner.commitTransaction();
    await runner.release();
    expect([gone, kept]).toEqual([[1], []]);
  },
);
