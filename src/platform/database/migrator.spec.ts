import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { QueryFailedError, type MigrationInterface, type QueryRunner } from 'typeorm';
import { loadConfig } from '../config/index.js';
import { createDataSource, type PlatformDataSource } from './data-source.js';
import { MigrationError, Migrator } from './migrator.js';

const step = { feature: 'toys', name: 'CreateToys1500000000000' };
const begin = "Migration CreateToys1500000000000 of feature 'toys' failed: ";

describe('a migration that failed', () => {
  it('is told with the reason, and with the calls that led to it', () => {
    const cause = new TypeError('runner.create is not a function');
    const { message, stack } = new MigrationError(step, cause);
    expect(message).toBe(`${begin}runner.create is not a function`);
    expect(stack).toBe(`${message}\n${cause.stack?.split('\n').slice(1).join('\n')}`);
  });

  it("is told without the engine's own words, which may hold values", () => {
    const driver = Object.assign(new Error("Duplicate entry 'canary'"), { code: 'ER_DUP_ENTRY' });
    const { message, stack } = new MigrationError(step, new QueryFailedError("INSERT 'canary'", ['canary'], driver));
    expect(message).toBe(`${begin}The database failed (ER_DUP_ENTRY)`);
    expect(stack).not.toContain('canary');
  });

  it('is told whatever was thrown', () => {
    expect(new MigrationError(step, 'no milk').message).toBe(`${begin}no milk`);
  });
});

it('is the fault to report, and its connection is given back, also where that cannot be made as it was', async () => {
  const runner = {
    isTransactionActive: false,
    beforeMigration: () => Promise.resolve(),
    startTransaction: () => Promise.reject(new Error('the real one')),
    afterMigration: () => Promise.reject(new Error('connection lost')),
    release: jest.fn(() => Promise.resolve()),
  };
  const dataSource = {
    options: { type: 'mysql' },
    migrations: [],
    createMigrationRunner: () => runner,
    ask: (sql: string) => Promise.resolve(sql.includes('FROM migration ') ? [] : [{ id: 1 }]),
  };
  class CreateToys1500000000000 {
    readonly up = (): Promise<void> => Promise.resolve();
    readonly down = (): Promise<void> => Promise.resolve();
  }
  const sources = [{ name: 'toys', migrations: [CreateToys1500000000000] }];
  const listener = { waiting: jest.fn(), unrenewed: jest.fn(), started: jest.fn(), done: jest.fn() };
  const migrator = new Migrator(dataSource as unknown as PlatformDataSource, sources, listener);
  await expect(migrator.run()).rejects.toThrow(new MigrationError(step, new Error('the real one')));
  expect(runner.release).toHaveBeenCalledTimes(1);
  expect(listener.done).not.toHaveBeenCalled();
});

describe('migrations of an SQLite database', () => {
  const ran: string[] = [];
  const made = (name: string, table: string) =>
    ({
      [name]: class implements MigrationInterface {
        async up(runner: QueryRunner): Promise<void> {
          ran.push(`+${table}`);
          await runner.query(`CREATE TABLE ${table} (id INTEGER PRIMARY KEY, other INTEGER REFERENCES b(id))`);
        }
        async down(runner: QueryRunner): Promise<void> {
          ran.push(`-${table}`);
          await runner.query(`DROP TABLE ${table}`);
        }
      },
    })[name] as new () => MigrationInterface;
  const sources = [
    // They run by their timestamps, whatever the order of the list is.
    { name: 'toys', entities: [], migrations: [made('B1500000000002', 'b'), made('A1500000000001', 'a')] },
    { name: 'tools', entities: [], migrations: [made('C1500000000000', 'c')] },
  ];
  const listener = { waiting: jest.fn(), unrenewed: jest.fn(), started: jest.fn(), done: jest.fn() };
  let dataSource: PlatformDataSource;
  let migrator: Migrator;

  beforeEach(async () => {
    ran.length = 0;
    jest.clearAllMocks();
    dataSource = await createDataSource(loadConfig({ NODE_ENV: 'test', DATABASE_URL: 'sqlite::memory:' }), sources);
    await dataSource.initialize();
    migrator = new Migrator(dataSource, sources, listener);
  });

  afterEach(() => dataSource.destroy());

  const tables = async () =>
    (await dataSource.ask<{ name: string }[]>("SELECT name FROM sqlite_schema WHERE name IN ('a', 'b', 'c')"))
      .map(({ name }) => name)
      .sort();

  it('run feature by feature, each once', async () => {
    expect(await migrator.run()).toBe(3);
    expect(await migrator.run()).toBe(0);
    expect(ran).toStrictEqual(['+a', '+b', '+c']);
    expect(await tables()).toStrictEqual(['a', 'b', 'c']);
    expect(await migrator.pending()).toStrictEqual([]);
    expect(listener.done.mock.calls).toStrictEqual(listener.started.mock.calls);
    expect(listener.done).toHaveBeenCalledTimes(3);
  });

  it('that are all there are looked at alone: nobody waits for a lock', async () => {
    await migrator.run();
    const asked = jest.spyOn(dataSource, 'ask');
    await migrator.run();
    expect(asked.mock.calls.map(([sql]) => sql)).toStrictEqual(['SELECT name FROM migration ORDER BY id']);
  });

  it('are taken back of one feature, the last one first, and run again then', async () => {
    await migrator.run();
    expect((await migrator.appliedOf('toys')).map(({ name }) => name)).toStrictEqual([
      'A1500000000001',
      'B1500000000002',
    ]);
    await migrator.undo('toys');
    expect(ran.slice(3)).toStrictEqual(['-b', '-a']);
    expect(await tables()).toStrictEqual(['c']);
    expect(await migrator.applied()).toStrictEqual(['C1500000000000']);
    expect(await migrator.run()).toBe(2);
  });

  it('are begun no more once they are to stop', async () => {
    expect(await migrator.run(AbortSignal.abort())).toBe(0);
    expect(ran).toStrictEqual([]);
  });

  it('that leave a row without the one that it refers to are undone', async () => {
    const broken = {
      Broken1500000000003: class implements MigrationInterface {
        async up(runner: QueryRunner): Promise<void> {
          await runner.query('INSERT INTO a (id, other) VALUES (1, 99)');
        }
        down = () => Promise.resolve();
      },
    }.Broken1500000000003;
    await migrator.run();
    dataSource.migrations.push(new broken());
    const more = new Migrator(dataSource, [{ name: 'toys', migrations: [broken] }], listener);
    await expect(more.run()).rejects.toThrow(
      "Migration Broken1500000000003 of feature 'toys' failed: A row of a refers to a row of b that is not there",
    );
    expect(await dataSource.ask('SELECT id FROM a')).toStrictEqual([]);
    expect(await more.pending()).toHaveLength(1);
    await expect(dataSource.ask('INSERT INTO a (id, other) VALUES (1, 99)')).rejects.toThrow('FOREIGN KEY');
  });
});
