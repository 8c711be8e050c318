import { expect, it } from '@jest/globals';
import { EntitySchema } from 'typeorm';
import { loadConfig } from '../config/index.js';
import { createDataSource } from './data-source.js';
import { MOST_COUNTED, tableSizes } from './table-sizes.js';

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
