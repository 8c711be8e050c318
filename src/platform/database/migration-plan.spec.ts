import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { EntitySchema, type MigrationInterface, type QueryRunner } from 'typeorm';
import { loadConfig } from '../config/index.js';
import { createDataSource, type PlatformDataSource } from './data-source.js';
import { MOST_COUNTED, planMigrations, tableSizes } from './migration-plan.js';

class CreateToys1500000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('SELECT 1');
    if (await runner.hasTable('toy')) return;
    await runner.query(`
      CREATE TABLE toy (
        id INT
      )
    `);
    await runner.query('INSERT INTO toy (id) VALUES (?)', [7]);
  }
  down = () => Promise.resolve();
}
class Broken1500000000001 implements MigrationInterface {
  up = async (runner: QueryRunner): Promise<void> => {
    await runner.query('DROP TABLE toy');
    throw new TypeError('no such thing');
  };
  down = () => Promise.resolve();
}

const sources = [{ name: 'toys', migrations: [CreateToys1500000000000, Broken1500000000001] }];
const steps = sources[0]!.migrations.map(({ name }) => ({ feature: 'toys', name }));
const STATEMENTS = ['CREATE TABLE toy (\n  id INT\n);', 'INSERT INTO toy (id) VALUES (?); -- with ["7"]'];

let dataSource: PlatformDataSource;

beforeEach(async () => {
  dataSource = await createDataSource(loadConfig({ NODE_ENV: 'test', DATABASE_URL: 'sqlite::memory:' }), []);
});

afterEach(() => dataSource.destroy());

it('says what migrations would run, in their order, and where one fails why there may be more', async () => {
  expect(await planMigrations(dataSource, sources, [...steps, { feature: 'toys', name: 'Unknown' }])).toStrictEqual([
    { ...steps[0], statements: STATEMENTS },
    { ...steps[1], statements: ['DROP TABLE toy;'], fault: 'no such thing' },
  ]);
});

it('reads from a database that is open, runs nothing of it, and gives its query runners back', async () => {
  await dataSource.initialize();
  const runners: QueryRunner[] = [];
  const create = dataSource.createQueryRunner.bind(dataSource);
  dataSource.createQueryRunner = (mode) => {
    const runner = create(mode);
    runners.push(runner);
    return runner;
  };
  expect((await planMigrations(dataSource, sources, steps))[0]?.statements).toStrictEqual(STATEMENTS);
  await dataSource.ask('CREATE TABLE toy (id INT)');
  expect((await planMigrations(dataSource, sources, steps))[0]?.statements).toStrictEqual([]);
  expect(runners.map(({ isReleased }) => isReleased)).toStrictEqual([true, true, true, true]);
});

const schema = (name: string) => new EntitySchema({ name, columns: { id: { type: 'int', primary: true } } });

it('says how many rows each table has, up to a number, without those that are not there', async () => {
  const entities = ['few', 'gone', 'many'].map(schema);
  const source = await createDataSource(loadConfig({ NODE_ENV: 'test', DATABASE_URL: 'sqlite::memory:' }), [
    { entities },
  ]);
  await source.initialize();
  await source.ask('CREATE TABLE few AS SELECT 1 AS id UNION SELECT 2');
  const count = (rows: number) =>
    `CREATE TABLE many AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < ${rows}) SELECT id FROM n`;
  await source.ask(count(MOST_COUNTED + 5));
  expect(await tableSizes(source, entities)).toStrictEqual([
    { table: 'few', rows: 2 },
    { table: 'many', rows: MOST_COUNTED + 1 },
  ]);
  await source.destroy();
  await expect(tableSizes(source, entities)).rejects.toThrow('not ready');
});
