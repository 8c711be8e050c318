import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EntitySchema, Table, TableColumn, type DataSourceOptions } from 'typeorm';
import { MysqlQueryRunner } from 'typeorm/driver/mysql/MysqlQueryRunner.js';
import { EndedTransactionError } from '../database-failure.js';
import { PlatformDataSource } from '../data-source.js';
import { StatementLog } from '../statement-log.js';
import type { PlatformMysqlDriver, PlatformMysqlQueryRunner } from './mysql-driver.js';
import type { MysqlEngine } from './mysql-engine.js';

const Note = new EntitySchema<{ id?: number; text: string }>({
  name: 'note',
  columns: { id: { type: 'int', primary: true, generated: 'increment' }, text: { type: 'varchar' } },
});

let engine: { isMariaDb: boolean };
let dataSource: PlatformDataSource;
let driver: PlatformMysqlDriver;
/** The statements that reach the engine. */
let sent: string[];

beforeEach(async () => {
  sent = [];
  const connection = {
    run: (sql: string) => {
      sent.push(sql);
      return Promise.resolve(
        sql.startsWith('SELECT') ? [{ db_name: 'store' }] : { affectedRows: 1, insertId: 7, serverStatus: 2 },
      );
    },
  };
  const pool = { acquire: () => Promise.resolve(connection), release: () => undefined, discard: () => undefined };
  const watch = new Proxy({}, { get: () => () => undefined });
  const budget = { earn: () => undefined, retry: (work: () => Promise<unknown>) => work() };
  const settings = { acquireTimeoutMs: 60_000, queryTimeoutMs: 60_000 };
  engine = { budget, settings, watch, pool, isMariaDb: false, requireReady: () => undefined } as never;
  const options: DataSourceOptions = {
    type: 'mysql',
    database: 'store',
    entities: [Note],
    driver: { createPool: () => undefined },
    logger: new StatementLog(undefined, false),
  };
  dataSource = await new PlatformDataSource(options, engine as MysqlEngine).prepare();
  driver = dataSource.driver as PlatformMysqlDriver;
});

afterEach(() => void jest.restoreAllMocks());

describe('the id of a row that was inserted', () => {
  const metadata = () => dataSource.getMetadata(Note);

  it('follows from the first one, by the step of the session', () => {
    const result = { affectedRows: 3, insertId: 7, idStep: 3n };
    const ids = [0, 1, 2].map((index) => driver.createGeneratedMap(metadata(), result, index));
    expect(ids).toStrictEqual([{ id: 7 }, { id: 10 }, { id: 13 }]);
    const alone = { affectedRows: 2, insertId: 7 };
    expect([0, 1].map((index) => driver.createGeneratedMap(metadata(), alone, index))).toStrictEqual([
      { id: 7 },
      { id: 8 },
    ]);
  });

  it('is none where the server gave none', () => {
    expect(
      [undefined, { affectedRows: 1, insertId: 0 }].map((result) => driver.createGeneratedMap(metadata(), result, 0)),
    ).toStrictEqual([undefined, undefined]);
  });

  it('is said by MariaDB itself, for an INSERT', () => {
    expect(driver.createGeneratedMap(metadata(), { id: 5 }, 0)).toStrictEqual({ id: 5 });
    const kinds = ['insert', 'update', 'delete'] as const;
    expect(kinds.filter((kind) => driver.isReturningSqlSupported(kind))).toStrictEqual([]);
    engine.isMariaDb = true;
    expect(kinds.filter((kind) => driver.isReturningSqlSupported(kind))).toStrictEqual(['insert']);
  });
});

describe('a table as a migration reads it', () => {
  const DEFAULTS = ["'NULL'", "''draft''", "'draft'", '7', undefined];

  async function defaultsRead(isMariaDb: boolean): Promise<unknown[]> {
    engine.isMariaDb = isMariaDb;
    const columns = DEFAULTS.map((text, n) => new TableColumn({ name: `c${n}`, type: 'varchar', default: text }));
    const loaded = [new Table({ name: 'note', columns })];
    const { prototype } = MysqlQueryRunner as unknown as { prototype: { loadTables(): Promise<Table[]> } };
    jest.spyOn(prototype, 'loadTables').mockResolvedValue(loaded);
    const table = await dataSource.createMigrationRunner().getTable('note');
    return table!.columns.map((column) => column.default as unknown);
  }

  it('has its defaults as TypeORM writes them, of MariaDB too, which gives them as SQL', async () => {
    expect(await defaultsRead(true)).toStrictEqual([undefined, "'draft'", "'draft'", '7', undefined]);
  });

  it('is left as it is on MySQL', async () => {
    expect(await defaultsRead(false)).toStrictEqual(DEFAULTS);
  });
});

describe('a column whose type or length changes', () => {
  const column = (fields: object) => new TableColumn({ name: 'text', type: 'varchar', length: '20', ...fields });

  async function changed(to: TableColumn, from = column({})): Promise<string[]> {
    const runner = dataSource.createMigrationRunner() as unknown as PlatformMysqlQueryRunner;
    const id = new TableColumn({ name: 'id', type: 'int', isPrimary: true });
    await runner.changeColumn(new Table({ name: 'note', columns: [id, from] }), from, to);
    return sent.filter((sql) => sql.startsWith('ALTER'));
  }

  it('keeps what it holds', async () => {
    expect(await changed(column({ length: '50' }))).toStrictEqual([
      'ALTER TABLE `note` MODIFY `text` varchar(50) NOT NULL',
    ]);
    sent.length = 0;
    expect((await changed(column({ type: 'text', length: '' })))[0]).toBe(
      'ALTER TABLE `note` MODIFY `text` text NOT NULL',
    );
  });

  it('is changed by TypeORM where the database computes it', async () => {
    const computed = column({ length: '50', generatedType: 'STORED', asExpression: "'a'" });
    expect((await changed(computed)).some((sql) => sql.includes('DROP COLUMN'))).toBe(true);
  });
});

describe('a query runner', () => {
  it('takes no statement once it was released', async () => {
    const runner = dataSource.createQueryRunner();
    await runner.query('SELECT 1');
    await runner.release();
    await expect(runner.query('SELECT 2')).rejects.toThrow(EndedTransactionError);
    expect(sent).toStrictEqual(['SELECT 1']);
  });

  it('is kept by the transaction that has it, whoever releases it', async () => {
    await dataSource.transaction(async () => {
      await dataSource.createQueryRunner().release();
      await dataSource.query('UPDATE note SET id = 1');
    });
    expect(sent).toStrictEqual(['START TRANSACTION', 'UPDATE note SET id = 1', 'COMMIT']);
  });

  it('has no stream of rows, since SQLite has none', async () => {
    const runner = dataSource.createQueryRunner();
    await expect(runner.stream('SELECT 1')).rejects.toThrow('A stream of rows is not supported');
  });
});
