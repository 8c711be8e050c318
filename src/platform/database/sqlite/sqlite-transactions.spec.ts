import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createDataSource, type PlatformDataSource } from '../data-source.js';
import { loadConfig } from '../../config/index.js';

let dataSource: PlatformDataSource;

beforeEach(async () => {
  const patient = { DATABASE_ACQUIRE_TIMEOUT_MS: '20000', REQUEST_DEADLINE_MS: '60000' };
  const config = loadConfig({ NODE_ENV: 'test', DATABASE_URL: 'sqlite::memory:', ...patient });
  dataSource = await createDataSource(config, []);
  await dataSource.initialize();
  await dataSource.query('CREATE TABLE note (text VARCHAR(50) NOT NULL)');
});

afterEach(() => dataSource.destroy());

const write = (text: string) => dataSource.query('INSERT INTO note (text) VALUES (?)', [text]);
const texts = async () =>
  (await dataSource.query<{ text: string }[]>('SELECT text FROM note ORDER BY text')).map(({ text }) => text);

it('tells what failed in a transaction, though its connection was closed meanwhile', async () => {
  const failing = dataSource.transaction(async () => {
    await write('lost');
    await dataSource.destroy();
    throw new Error('the real one');
  });
  await expect(failing).rejects.toThrow('the real one');
  await dataSource.initialize();
});

describe('one connection for all', () => {
  it('keeps what was acknowledged beside transactions that are rolled back', async () => {
    const rolledBack = (name: string) =>
      dataSource
        .transaction(async () => {
          await write(`${name} lost`);
          await nextTurn();
          throw new Error('rolled back');
        })
        .catch(() => undefined);
    const kept: string[] = [];
    const works: Promise<unknown>[] = [];
    for (let round = 0; round < 40; round += 1) {
      works.push(rolledBack(`transaction ${round}`));
      for (const part of ['a', 'b']) {
        kept.push(`kept ${round}${part}`);
        works.push(write(`kept ${round}${part}`));
      }
      if (round % 4 === 0) await nextTurn();
    }
    await Promise.all(works);
    expect(await texts()).toStrictEqual(kept.sort());
  });

  it('runs one transaction at a time, whole', async () => {
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        dataSource.transaction(async () => {
          const before = (await texts()).length;
          await write(`first of ${n}`);
          await nextTurn();
          await write(`second of ${n}`);
          expect((await texts()).length).toBe(before + 2);
        }),
      ),
    );
    expect(await texts()).toHaveLength(40);
  });
});
