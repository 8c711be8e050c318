import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import Database from 'better-sqlite3-v13';
import { boundValues, MOST_STATEMENTS } from '../sql-statements.js';
import { SqliteConnection } from './sqlite-engine.js';
import { storedTime } from './sqlite-values.js';

let database: Database.Database;
let connection: SqliteConnection;

beforeEach(() => {
  database = new Database(':memory:');
  connection = new SqliteConnection(database);
});

afterEach(() => void database.close());

it('is set up to be durable, to keep to foreign keys, and not to block for others', () => {
  const pragma = (name: string): unknown => database.pragma(name, { simple: true });
  expect(['synchronous', 'foreign_keys', 'busy_timeout'].map(pragma)).toStrictEqual([2, 1, 50]);
  expect([database.open, database.inTransaction]).toStrictEqual([true, false]);
});

describe('a statement', () => {
  it('is prepared once, as long as few others come', () => {
    const prepare = jest.spyOn(database, 'prepare');
    connection.run('SELECT 1 AS one', []);
    connection.run('SELECT 1 AS one', []);
    expect(prepare).toHaveBeenCalledTimes(1);
    for (let n = 0; n < MOST_STATEMENTS; n += 1) connection.run(`SELECT ${n} AS other`, []);
    connection.run('SELECT 1 AS one', []);
    expect(prepare).toHaveBeenCalledTimes(MOST_STATEMENTS + 2);
  });

  it('says what it has changed, or read', () => {
    expect(connection.run('CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT)', [])).toMatchObject({
      rows: undefined,
    });
    const insert = 'INSERT INTO pet (id, name) VALUES (?, ?)';
    expect(connection.run(insert, [9007199254740993n, 'Ann'])).toStrictEqual({
      rows: undefined,
      changes: 1,
      lastId: 9007199254740993n,
    });
    expect(connection.run('SELECT id, name FROM pet', [])).toStrictEqual({
      rows: [{ id: 9007199254740993n, name: 'Ann' }],
      changes: 1,
      lastId: 0n,
    });
    expect(connection.run('DELETE FROM pet', []).changes).toBe(1);
  });

  it('gives the types that MySQL gives', () => {
    connection.run(
      'CREATE TABLE a (i BIGINT, d DECIMAL(8, 3), n NUMERIC, w DATETIME(3), t TIMESTAMP, x TEXT, b BLOB)',
      [],
    );
    const moment = new Date('2026-01-02T03:04:05.678Z');
    const values = [7, '1.5', 2.4, moment, '2026-01-02T03:04:05Z', '2026-01-02 03:04:05', Buffer.from('a')];
    const insert = `INSERT INTO a VALUES (${values.map(() => '?').join()})`;
    connection.run(insert, boundValues(insert, values, storedTime));
    expect(connection.run('SELECT i, d, n, w, t, x, b FROM a', []).rows).toStrictEqual([
      {
        ...{ i: 7, d: '1.500', n: '2', w: moment, t: new Date('2026-01-02T03:04:05Z') },
        ...{ x: '2026-01-02 03:04:05', b: Buffer.from('a') },
      },
    ]);
    connection.run('DELETE FROM a', []);
    connection.run('INSERT INTO a (i) VALUES (NULL)', []);
    expect(connection.run('SELECT i, d, w FROM a', []).rows).toStrictEqual([{ i: null, d: null, w: null }]);
  });

  it('knows the columns of a table that was changed', () => {
    connection.run('CREATE TABLE a (x TEXT)', []);
    connection.run("INSERT INTO a VALUES ('2026-01-02 03:04:05')", []);
    const read = () => connection.run('SELECT x FROM a', []).rows?.[0]?.['x'];
    expect(read()).toBe('2026-01-02 03:04:05');
    connection.run('ALTER TABLE a RENAME TO old', []);
    connection.run('CREATE TABLE a (x DATETIME)', []);
    connection.run('INSERT INTO a SELECT x FROM old', []);
    expect(read()).toStrictEqual(new Date('2026-01-02T03:04:05Z'));
  });
});
