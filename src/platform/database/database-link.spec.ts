import { expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import { QueryFailedError, TypeORMError, type MigrationInterface } from 'typeorm';
import { loadConfig } from '../config/index.js';
import { createDataSource } from './data-source.js';
import { MIGRATION_TABLE } from './statement-log.js';
import { DatabaseOutages } from './database-outages.js';
import { DatabaseLink } from './database-link.js';
import { MigrationError } from './migrator.js';

class First1764201600000 implements MigrationInterface {
  up = () => Promise.resolve();
  down = () => Promise.resolve();
}
class Second1764201600001 extends First1764201600000 {}

/** A link to an empty database in memory, and its log lines. */
async function linked(migrations: 'check' | 'off' | 'run') {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
  const config = loadConfig({ NODE_ENV: 'test', DATABASE_URL: 'sqlite::memory:', MIGRATIONS: migrations });
  const sources = [{ name: 'kettles', entities: [], migrations: [First1764201600000, Second1764201600001] }];
  const dataSource = await createDataSource(config, sources);
  const log = pino({}, { write });
  const link = new DatabaseLink(dataSource, config, { log, outages: new DatabaseOutages(log) }, sources);
  return { link, dataSource, lines };
}

it.each([
  ['run', ['First1764201600000', 'Second1764201600001']],
  ['off', []],
] as const)(
  'with MIGRATIONS=%s applies %j, and features may use the database then, not before',
  async (mode, applied) => {
    const { link, dataSource, lines } = await linked(mode);
    expect([link.isCurrent, await link.answers(1000)]).toStrictEqual([false, false]);
    await expect(dataSource.query('SELECT 1')).rejects.toThrow('not ready');
    await link.connect();
    await expect(dataSource.query('SELECT 1')).rejects.toThrow('not ready');
    expect(await link.answers(1000)).toBe(true);
    await link.open();
    expect(link.isCurrent).toBe(true);
    expect(await dataSource.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await link.migrator.applied()).toStrictEqual(applied);
    const told = lines.map(({ event, migration }) => `${String(event)} ${String(migration)}`);
    expect(told).toStrictEqual(applied.flatMap((name) => [`migration.started ${name}`, `migration.applied ${name}`]));
    await link.close();
    expect(await link.answers(1000)).toBe(false);
  },
);

it('tries again where it fails, logs what the driver said, and that it is over', async () => {
  const { link, lines } = await linked('check');
  const driver = Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR' });
  jest
    .spyOn(link.migrator, 'pending')
    .mockRejectedValueOnce(new QueryFailedError('SELECT', [], driver))
    .mockResolvedValue([]);
  await link.open();
  expect(lines).toMatchObject([
    { event: 'db.unavailable', part: 'read', err: { code: 'SQLITE_IOERR', message: 'disk I/O error' } },
    { event: 'db.recovered', part: 'read' },
  ]);
  await link.close();
});

it('tries again where a migration fails, and names it', async () => {
  const { link, lines } = await linked('run');
  const step = { feature: 'kettles', name: 'First1764201600000' };
  jest.spyOn(link.migrator, 'run').mockRejectedValueOnce(new MigrationError(step, new Error('no room')));
  await link.open();
  expect(lines[0]).toMatchObject({
    event: 'migration.failed',
    feature: 'kettles',
    migration: 'First1764201600000',
    msg: "Migration First1764201600000 of feature 'kettles' failed: no room; trying again",
  });
  expect(lines.filter(({ event }) => event === 'db.unavailable')).toStrictEqual([]);
  await link.close();
});

it('does not try again what no waiting mends', async () => {
  const { link } = await linked('run');
  const step = { feature: 'kettles', name: 'First1764201600000' };
  const fault = new MigrationError(step, new TypeORMError('no such entity'));
  jest.spyOn(link.migrator, 'run').mockRejectedValue(fault);
  await expect(link.open()).rejects.toBe(fault);
  await link.close();
});

it('ends its tries as it is closed, and says nothing more', async () => {
  const { link, dataSource, lines } = await linked('run');
  const failing = jest.spyOn(dataSource, 'initialize').mockRejectedValue(new Error('refused'));
  const opened = link.open();
  while (failing.mock.calls.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
  await link.close();
  await opened;
  expect(lines.map(({ event }) => event)).toStrictEqual(['db.unavailable']);
});

it('asks one thing at a time whether the database answers', async () => {
  const { link, dataSource } = await linked('off');
  await link.connect();
  const asked = jest.spyOn(dataSource, 'ask').mockReturnValue(new Promise(() => undefined));
  expect([await link.answers(1), await link.answers(1)]).toStrictEqual([false, false]);
  expect(asked).toHaveBeenCalledTimes(1);
  await dataSource.destroy();
});

it('tells what the schema lacks once, and again where that has changed', async () => {
  const { link, dataSource, lines } = await linked('check');
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
