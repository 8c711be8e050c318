import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, jest } from '@jest/globals';
import { EntitySchema } from 'typeorm';
import { removeScratch, scratchFolder } from '../../../test/support/scratch.js';
import { loadConfig } from '../config/index.js';
import { StartFault } from '../errors/index.js';
import { createDataSource, type PlatformDataSource } from './data-source.js';
import { EndedTransactionError, NotAskedError } from './database-failure.js';

interface Visit {
  readonly id?: number;
  readonly name: string;
  readonly day?: Date;
  readonly moment?: Date;
}

const Visit = new EntitySchema<Visit>({
  name: 'visit',
  columns: {
    id: { type: 'int', primary: true, generated: 'increment' },
    name: { type: 'varchar', default: 'nobody' },
    day: { type: 'datetime', precision: 0, nullable: true },
    moment: { type: 'datetime', precision: 3, nullable: true },
  },
});
const Tag = new EntitySchema<{ readonly word: string }>({
  name: 'tag',
  columns: { word: { type: 'varchar', primary: true } },
});
const Wide = new EntitySchema({
  name: 'wide',
  columns: { id: { type: 'int', primary: true }, price: { type: 'decimal', precision: 30, scale: 2 } },
});

const sourceOf = (url: string, entities: EntitySchema[]): Promise<PlatformDataSource> =>
  createDataSource(loadConfig({ NODE_ENV: 'test', DATABASE_URL: url }), [{ entities }]);

it('refuses a DECIMAL that SQLite would round, on SQLite alone', async () => {
  await expect(sourceOf('sqlite::memory:', [Wide])).rejects.toThrow(StartFault);
  const source = await sourceOf('mysql://user:word@127.0.0.1:1/store', [Wide]);
  expect(source.hasMetadata(Wide)).toBe(true);
});

describe('the folder of a file of SQLite', () => {
  const folder = scratchFolder('data-source');
  afterAll(() => removeScratch(folder));

  it('is made, with those above it, as often as it is asked for', async () => {
    const url = `sqlite:${join(folder, 'a/b/c/store.sqlite')}`;
    for (let n = 0; n < 2; n += 1) {
      const source = await sourceOf(url, []);
      await source.initialize();
      await source.destroy();
    }
    expect(existsSync(join(folder, 'a/b/c/store.sqlite'))).toBe(true);
  });

  it.each(['/proc/none/deeper/store.sqlite', join(folder, 'file/deeper/store.sqlite')])(
    'that cannot be there is told: %s',
    async (path) => {
      writeFileSync(join(folder, 'file'), '');
      const source = await sourceOf(`sqlite:${path}`, []);
      await expect(source.initialize()).rejects.toMatchObject({ code: expect.stringMatching(/^(ENOENT|ENOTDIR)$/) });
    },
  );
});

describe('a data source of SQLite', () => {
  let source: PlatformDataSource | undefined;

  async function opened(): Promise<PlatformDataSource> {
    source = await sourceOf('sqlite::memory:', [Visit, Tag] as EntitySchema[]);
    await source.initialize();
    await source.query(
      "CREATE TABLE visit (id INTEGER PRIMARY KEY AUTOINCREMENT, name VARCHAR(50) NOT NULL DEFAULT 'nobody', day DATETIME, moment DATETIME)",
    );
    await source.query('CREATE TABLE tag (word VARCHAR(50) PRIMARY KEY)');
    return source;
  }

  afterEach(async () => {
    await source?.destroy();
    source = undefined;
  });

  it('keeps of a second what the precision of the column says, as MySQL does', async () => {
    const visits = (await opened()).getRepository(Visit);
    const moment = new Date('2026-01-02T03:04:05.678Z');
    await visits.save({ name: 'Ann', day: moment, moment });
    expect(await visits.find()).toEqual([{ id: 1, name: 'Ann', day: new Date('2026-01-02T03:04:06Z'), moment }]);
  });

  it('takes a Date as the value of a statement', async () => {
    const { query } = await opened();
    const moment = new Date('2026-01-02T03:04:05.678Z');
    await query.call(source, 'INSERT INTO visit (name, moment) VALUES (?, ?)', ['Ann', moment]);
    expect(await query.call(source, 'SELECT moment FROM visit WHERE moment = ?', [moment])).toEqual([{ moment }]);
  });

  it('says what an INSERT has given, id and default, also where it gives nothing', async () => {
    const { manager } = await opened();
    const { identifiers, generatedMaps } = await manager.insert(Visit, [{}, { name: 'Ann' }]);
    expect(identifiers).toEqual([{ id: 1 }, { id: 2 }]);
    expect(generatedMaps).toMatchObject([{ id: 1, name: 'nobody' }, { id: 2 }]);
    expect((await manager.insert(Tag, { word: 'tame' })).identifiers).toEqual([{ word: 'tame' }]);
    expect(await manager.find(Tag)).toEqual([{ word: 'tame' }]);
  });

  it('can be used without being told that features may; until they may it is for others alone', async () => {
    const { manager } = await opened();
    await manager.insert(Tag, { word: 'tame' });
    source!.openWhen(() => false);
    for (const refused of [
      () => manager.find(Tag),
      () => source!.query('SELECT 1'),
      () => manager.save(Tag, { word: 'x' }),
    ])
      await expect(refused()).rejects.toMatchObject({ driverError: expect.any(NotAskedError) });
    expect(await source!.ask('SELECT word FROM tag')).toEqual([{ word: 'tame' }]);
    const runner = source!.createMigrationRunner();
    expect(await runner.query('SELECT word FROM tag')).toEqual([{ word: 'tame' }]);
    await runner.release();
  });

  it('refuses a statement by a query runner that was released', async () => {
    const runner = (await opened()).createQueryRunner();
    await runner.startTransaction();
    await runner.query("INSERT INTO tag (word) VALUES ('lost')");
    await runner.release();
    await expect(runner.query('SELECT 1')).rejects.toThrow(EndedTransactionError);
    expect(await source!.query('SELECT word FROM tag')).toEqual([]);
  });

  it('knows whether code runs inside of a transaction', async () => {
    await opened();
    expect(source!.inTransaction).toBe(false);
    expect(await source!.transaction(() => Promise.resolve(source!.inTransaction))).toBe(true);
    expect(source!.inTransaction).toBe(false);
  });

  it('reads what a migration changes of a table: an id that counts, and that no key is NULL', async () => {
    const runner = (await opened()).createMigrationRunner();
    const [visit, tag] = [await runner.getTable('visit'), await runner.getTable('tag')];
    expect(visit?.findColumnByName('id')).toMatchObject({ isGenerated: true, isNullable: false });
    expect(tag?.findColumnByName('word')).toMatchObject({ isGenerated: false, isNullable: false });
    await runner.release();
  });

  it('tells subscribers of each statement, before and after it', async () => {
    const told: string[] = [];
    (await opened()).subscribers.push({
      beforeQuery: ({ query }) => void told.push(`before ${query}`),
      afterQuery: ({ query, success }) => void told.push(`${success ? 'after' : 'failed'} ${query}`),
    });
    expect(await source!.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(told).toStrictEqual(['before SELECT 1 AS one', 'after SELECT 1 AS one']);
  });

  it.each(['development', 'test'])('logs what the engine refuses in %s, if that is development', async (env) => {
    const warn = jest.fn();
    const config = loadConfig({ NODE_ENV: env, DATABASE_URL: 'sqlite::memory:' });
    source = await createDataSource(config, [], { statements: { warn, debug: warn } });
    await source.initialize();
    await expect(source.query('SELEKT 1')).rejects.toThrow('SELEKT');
    expect(warn).toHaveBeenCalledTimes(env === 'development' ? 1 : 0);
  });
});
