import { describe, expect, it, jest } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { boundValues, inList, isRead, queryEach, summaryOf } from './sql-statements.js';

const INSERT = 'INSERT INTO toy (name, weight) VALUES (?, ?)';

it.each([
  [undefined, 'undefined'],
  [['a'], 'an array'],
  [{ a: 1 }, 'of type object'],
  [Symbol('a'), 'of type symbol'],
  [() => 1, 'of type function'],
  [NaN, 'not a finite number'],
  [Infinity, 'not a finite number'],
])('refuses %p, and says where it is but not what', (value, kind) => {
  const refused = `Value 2 of a statement (INSERT toy) is ${kind}, which no column stores`;
  expect(() => boundValues(INSERT, ['canary', value])).toThrow(new TypeError(refused));
});

it('takes what a column stores, whole numbers as such', () => {
  const most = 9_223_372_036_854_775_807n;
  const [bytes, time] = [new Uint8Array(1), new Date(0)];
  const values = [1, most, -most - 1n, most + 1n, 'a', null, 1.5, true, Buffer.from('a'), bytes, time];
  const bound = [1n, most, -most - 1n, most + 1n, 'a', null, 1.5, 1n, Buffer.from('a'), bytes, time];
  expect(boundValues(INSERT, values)).toStrictEqual(bound);
  expect(boundValues(INSERT, [time, 'a'], (at) => at.getTime())).toStrictEqual([0, 'a']);
});

describe('inList', () => {
  it.each([
    [[1n], '?', [1n]],
    [[1n, 2n], '?, ?', [1n, 2n]],
    [['a', 'b', 'c'], '?, ?, ?, ?', ['a', 'b', 'c', 'c']],
  ])('asks for %p with a power of two of placeholders', (values, marks, padded) => {
    expect(inList(values)).toEqual({ marks, values: padded });
  });

  it('makes seven statements of up to 64 values', () => {
    const made = Array.from({ length: 64 }, (_, index) =>
      inList(Array.from({ length: index + 1 }, (_, id) => BigInt(id))),
    );
    expect(new Set(made.map(({ marks }) => marks)).size).toBe(7);
    for (const { marks, values } of made) expect(values).toHaveLength(marks.split(',').length);
  });
});

it.each([
  ['SELECT id FROM pet', 'SELECT'],
  ['\n  SELECT id\n  FROM pet', 'SELECT'],
  ['( (SELECT id FROM pet) UNION (SELECT id FROM pet))', 'SELECT'],
  ['/* list */ -- of all\n# pets\nselect id FROM pet', 'SELECT'],
  ['/**/ /* * */UPDATE pet SET name = ?', 'UPDATE'],
  ['/* SELECT */ INSERT INTO pet VALUES (?)', 'INSERT'],
  // The server executes the text of such a comment.
  ['/*! DELETE FROM pet; */ SELECT 1 FROM pet', ''],
  ['/*M! DELETE FROM pet; */ SELECT 1 FROM pet', ''],
])('%j: %s', (sql, operation) => {
  expect(summaryOf(sql)).toEqual({ operation, collection: 'pet' });
  expect(isRead(sql)).toBe(operation === 'SELECT');
});

it('takes no time over comments', () => {
  const comments = '/* */ '.repeat(5000);
  expect(summaryOf(comments).operation).toBe('');
  expect(summaryOf(`${comments}SELECT 1`).operation).toBe('SELECT');
});

/** A server that answers each part of a union with one row, which contains the value of its parameter. */
function server(type: 'mysql' | 'better-sqlite3') {
  const query = jest.fn((sql: string, values: readonly number[]) => {
    const parts = sql.split(' UNION ALL ').map((_, part) => ({ union_part: part, id: values[part] }));
    // In another order than the parts.
    return Promise.resolve(parts.reverse());
  });
  return { query, dataSource: { options: { type }, query } as unknown as DataSource };
}

const SELECT = 'SELECT id FROM pet WHERE id > ?';
const ids = (results: readonly { readonly id?: unknown }[][]) => results.map((rows) => rows.map(({ id }) => id));

describe('queryEach', () => {
  it('asks for several lists in one statement across a network, and gives each its own rows', async () => {
    const { query, dataSource } = server('mysql');
    expect(ids(await queryEach(dataSource, SELECT, [[7], [8]]))).toStrictEqual([[7], [8]]);
    expect(query.mock.calls).toEqual([
      [
        '(SELECT 0e0 AS union_part, id FROM pet WHERE id > ?) UNION ALL ' +
          '(SELECT 1e0 AS union_part, id FROM pet WHERE id > ?)',
        [7, 8],
      ],
    ]);
  });

  it('asks for one list, and on SQLite for each, by the statement itself', async () => {
    for (const [type, lists] of [
      ['mysql', [[7]]],
      ['better-sqlite3', [[7], [8]]],
    ] as const) {
      const { query, dataSource } = server(type);
      expect(ids(await queryEach(dataSource, SELECT, lists))).toStrictEqual(lists);
      expect(query.mock.calls).toEqual(lists.map((values) => [SELECT, values]));
    }
  });

  it('has 16 parts in a statement at most', async () => {
    const { query, dataSource } = server('mysql');
    const lists = Array.from({ length: 40 }, (_, n) => [n]);
    expect(ids(await queryEach(dataSource, SELECT, lists))).toStrictEqual(lists);
    expect(query.mock.calls.map(([, values]) => values.length)).toEqual([16, 16, 8]);
  });

  it('takes no row of a list that it did not ask for', async () => {
    const dataSource = {
      options: { type: 'mysql' },
      query: () => Promise.resolve([{ union_part: 2, id: 7 }]),
    } as unknown as DataSource;
    await expect(queryEach(dataSource, SELECT, [[7], [8]])).rejects.toThrow('There is no list 2 of 2');
  });

  it.each(['SELECT id FROM pet', 'SELECT all_of_it FROM pet', 'SELECT COUNT(*) AS pets FROM pet'])(
    'takes %s',
    async (sql) => {
      await expect(queryEach(server('mysql').dataSource, sql, [[1]])).resolves.toHaveLength(1);
    },
  );

  it.each([
    'SELECT DISTINCT id FROM pet',
    'SELECT ALL id FROM pet',
    'SELECT * FROM pet',
    'WITH a AS (SELECT 1) SELECT 1',
  ])('refuses %s on every engine', async (sql) => {
    for (const type of ['mysql', 'better-sqlite3'] as const)
      await expect(queryEach(server(type).dataSource, sql, [[1]])).rejects.toThrow(TypeError);
  });
});
