import { expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import type { MigrationInterface } from 'typeorm';
import { loadConfig } from '../config/index.js';
import { createDataSource } from './data-source.js';
import { MIGRATION_TABLE } from './statement-log.js';
import { DatabaseOutages } from './database-outages.js';
import { DatabaseLink } from './database-link.js';

class First1764201600000 implements MigrationInterface {
  up = () => Promise.resolve();
  down = () => Promise.resolve();
}
class Second1764201600001 extends First1764201600000 {}

it('tells what the schema lacks once, and again where that has changed', async () => {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
  const config = loadConfig({ NODE_ENV: 'test', DATABASE_URL: 'sqlite::memory:', MIGRATIONS: 'check' });
  const sources = [{ name: 'kettles', entities: [], migrations: [First1764201600000, Second1764201600001] }];
  const dataSource = await createDataSource(config, sources);
  const log = pino({}, { write });
  const link = new DatabaseLink(dataSource, config, { log, outages: new DatabaseOutages(log) }, sources);
  const looked = jest.spyOn(link.migrator, 'pending');
  const untilLooked = async (times: number): Promise<void> => {
    for (const end = looked.mock.calls.length + times; looked.mock.calls.length < end;)
      await new Promise((resolve) => setTimeout(resolve, 10));
  };
  const migrated = (name: string) => dataSource.ask(`INSERT INTO ${MIGRATION_TABLE} (name) VALUES (?)`, [name]);

  const opened = link.open();
  await untilLooked(2);
  await dataSource.ask(`CREATE TABLE ${MIGRATION_TABLE} (id INTEGER PRIMARY KEY, name TEXT)`);
  await migrated('First1764201600000');
  await untilLooked(2);
  await migrated('Second1764201600001');
  await opened;
  const told = lines.map(({ event, pending }) => ({ event, pending }));
  expect(told).toEqual([
    { event: 'db.behind', pending: ['First1764201600000', 'Second1764201600001'] },
    { event: 'db.behind', pending: ['Second1764201600001'] },
  ]);
  await link.close();
});
