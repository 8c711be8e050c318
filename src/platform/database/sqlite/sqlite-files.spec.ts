import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3-v13';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SqliteFiles } from './sqlite-files.js';

let folder: string;
let file: string;
let database: Sqlite.Database;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'animal-store-'));
  file = join(folder, 'store.sqlite');
  database = new Sqlite(file);
  database.pragma('journal_mode = WAL');
  database.exec('CREATE TABLE pet (name TEXT)');
});

afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a statement. `meanwhile` runs after the statement and before the result is returned. */
function run(files: SqliteFiles, sql: string, meanwhile = (): void => undefined): unknown {
  const statement = database.prepare(sql);
  try {
    return files.run(statement, () => {
      const result = statement.reader ? statement.all() : statement.run();
      meanwhile();
      return result;
    });
  } catch (error) {
    return error;
  }
}

const INSERT = "INSERT INTO pet VALUES ('Lumi')";
const done = expect.objectContaining({ changes: 1 });
const moved = (path: string, outcome?: 'unknown'): unknown =>
  expect.objectContaining({
    code: 'SQLITE_READONLY_DBMOVED',
    message: `${path} was removed, moved or replaced`,
    outcome,
  });

describe('the files of a database', () => {
  it('are the same while others write, checkpoint and end', () => {
    const files = new SqliteFiles(database);
    const other = new Sqlite(file);
    other.exec(INSERT);
    other.pragma('wal_checkpoint(TRUNCATE)');
    other.close();
    expect(run(files, INSERT)).toStrictEqual(done);
    expect(run(files, 'SELECT name FROM pet')).toStrictEqual([{ name: 'Lumi' }, { name: 'Lumi' }]);
  });

  describe.each(['', '-wal', '-shm'])('%j', (end) => {
    const path = () => `${file}${end}`;

    it('removed: nothing is written', () => {
      const files = new SqliteFiles(database);
      rmSync(path());
      expect(run(files, INSERT)).toStrictEqual(moved(path()));
      expect(run(files, `${INSERT} RETURNING name`)).toStrictEqual(moved(path()));
      expect(run(files, 'BEGIN IMMEDIATE')).toStrictEqual(moved(path()));
      expect(database.inTransaction).toBe(false);
      expect(database.prepare('SELECT name FROM pet').all()).toStrictEqual([]);
    });

    it('replaced by its like: the same', () => {
      const files = new SqliteFiles(database);
      copyFileSync(path(), join(folder, 'copy'));
      renameSync(join(folder, 'copy'), path());
      expect(run(files, INSERT)).toStrictEqual(moved(path()));
    });

    it('moved away: the same, until it is back', () => {
      const files = new SqliteFiles(database);
      renameSync(path(), join(folder, 'away'));
      expect(run(files, INSERT)).toStrictEqual(moved(path()));
      renameSync(join(folder, 'away'), path());
      expect(run(files, INSERT)).toStrictEqual(done);
    });

    it('removed while something is written: that is not acknowledged', () => {
      const files = new SqliteFiles(database);
      expect(run(files, INSERT, () => rmSync(path()))).toStrictEqual(moved(path(), 'unknown'));
    });

    it('removed in a transaction: it does not commit, and can be rolled back', () => {
      const files = new SqliteFiles(database);
      run(files, 'BEGIN IMMEDIATE');
      expect(run(files, INSERT, () => rmSync(path()))).toStrictEqual(done);
      expect(run(files, 'COMMIT')).toStrictEqual(moved(path()));
      expect(run(files, 'ROLLBACK')).toMatchObject({ changes: expect.any(Number) });
    });

    it('removed while a transaction commits: that is not acknowledged', () => {
      const files = new SqliteFiles(database);
      run(files, 'BEGIN IMMEDIATE');
      run(files, INSERT);
      expect(run(files, 'COMMIT', () => rmSync(path()))).toStrictEqual(moved(path(), 'unknown'));
    });
  });

  it('are looked at for a read where that was not done for a second', () => {
    jest.useFakeTimers();
    const files = new SqliteFiles(database);
    jest.advanceTimersByTime(900);
    run(files, INSERT);
    rmSync(file);
    jest.advanceTimersByTime(999);
    expect(run(files, 'SELECT name FROM pet')).toStrictEqual([{ name: 'Lumi' }]);
    jest.advanceTimersByTime(1);
    expect(run(files, 'SELECT name FROM pet')).toStrictEqual(moved(file));
    expect(run(files, 'SELECT name FROM pet')).toStrictEqual(moved(file));
    jest.useRealTimers();
  });

  it('in memory are none', () => {
    const disk = database;
    database = new Sqlite(':memory:');
    const files = new SqliteFiles(database);
    expect(run(files, 'CREATE TABLE pet (name TEXT)')).toMatchObject({ changes: 0 });
    expect(run(files, INSERT)).toStrictEqual(done);
    disk.close();
  });

  it('without a write-ahead log are one', () => {
    database.pragma('journal_mode = DELETE');
    const files = new SqliteFiles(database);
    expect(run(files, INSERT)).toStrictEqual(done);
    rmSync(file);
    expect(run(files, INSERT)).toStrictEqual(moved(file));
  });
});
