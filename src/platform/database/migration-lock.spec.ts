import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createDataSource, type PlatformDataSource } from './data-source.js';
import { loadConfig } from '../config/index.js';
import { StartFault } from '../errors/index.js';
import { LOCK_TABLE, MigrationLock } from './migration-lock.js';

describe('the migration lock', () => {
  let dataSource: PlatformDataSource;
  const waiting = jest.fn<() => void>();
  const unrenewed = jest.fn<(error: unknown) => void>();

  beforeEach(async () => {
    jest.useFakeTimers({ doNotFake: ['setTimeout', 'setImmediate', 'nextTick', 'performance', 'Date'] });
    dataSource = await createDataSource(loadConfig({ DATABASE_URL: 'sqlite::memory:' }), []);
    await dataSource.initialize();
  });

  afterEach(async () => {
    jest.useRealTimers();
    jest.clearAllMocks();
    await dataSource.destroy();
  });

  const expiry = async (): Promise<unknown> => dataSource.query(`SELECT expires_at FROM ${LOCK_TABLE}`);
  const hold = (work: () => Promise<void>): Promise<void> =>
    new MigrationLock(dataSource).hold(work, { waiting, unrenewed });

  it('is renewed for as long as it is held, of which nobody is told', async () => {
    await hold(async () => {
      const first = await expiry();
      await sleep(5);
      jest.advanceTimersByTime(10_000);
      await sleep(5);
      expect(await expiry()).not.toEqual(first);
    });
    expect(await expiry()).toEqual([]);
    expect(waiting).not.toHaveBeenCalled();
    expect(unrenewed).not.toHaveBeenCalled();
  });

  it('that cannot be renewed is told of each time', async () => {
    const done = new Error('done');
    const holding = hold(async () => {
      await dataSource.query(`DROP TABLE ${LOCK_TABLE}`);
      jest.advanceTimersByTime(20_000);
      throw done;
    });
    await expect(holding).rejects.toBe(done);
    expect(unrenewed).toHaveBeenCalledTimes(2);
  });

  it('that another process took over is told of, and not confirmed', async () => {
    const lock = new MigrationLock(dataSource);
    const holding = lock.hold(
      async () => {
        await lock.confirm();
        await dataSource.query(`UPDATE ${LOCK_TABLE} SET owner = 'another'`);
        jest.advanceTimersByTime(10_000);
        await sleep(5);
        expect(unrenewed).toHaveBeenCalledTimes(1);
        await lock.confirm();
      },
      { waiting, unrenewed },
    );
    await expect(holding).rejects.toThrow(StartFault);
    expect(await dataSource.query(`SELECT owner FROM ${LOCK_TABLE}`)).toEqual([{ owner: 'another' }]);
  });

  it('that is given back while it is renewed is no cause to tell of', async () => {
    await hold(async () => {
      await dataSource.query(`UPDATE ${LOCK_TABLE} SET owner = 'another'`);
      jest.advanceTimersByTime(10_000);
    });
    await sleep(5);
    expect(unrenewed).not.toHaveBeenCalled();
  });

  it('that another process has is told of once', async () => {
    await hold(async () => {
      const other = hold(() => Promise.resolve());
      await sleep(500);
      expect(waiting).toHaveBeenCalledTimes(1);
      await dataSource.query(`DELETE FROM ${LOCK_TABLE}`);
      await other;
    });
    expect(waiting).toHaveBeenCalledTimes(1);
  });

  it('that another process has for more than a minute is given up on', async () => {
    const now = performance.now.bind(performance);
    await hold(async () => {
      const other = hold(() => Promise.resolve());
      while (waiting.mock.calls.length === 0) await sleep(5);
      const late = jest.spyOn(performance, 'now').mockImplementation(() => now() + 60_001);
      await expect(other).rejects.toThrow(new StartFault('Another process has held the migration lock for 60 s'));
      late.mockRestore();
    });
  });

  it('is waited for no longer than whoever waits wants to', async () => {
    const stopping = new AbortController();
    await hold(async () => {
      const lock = new MigrationLock(dataSource);
      const other = lock.hold(() => Promise.resolve(), { waiting, unrenewed }, stopping.signal);
      stopping.abort(new Error('stopped'));
      await expect(other).rejects.toThrow('stopped');
    });
  });

  it('of a process that died is taken over once its lease has ended, not before', async () => {
    const before = Date.now();
    await hold(async () => {
      const [lease] = (await expiry()) as { expires_at: number }[];
      expect(lease!.expires_at).toBeGreaterThan(before + 29_000);
      let isTaken = false;
      const other = hold(() => Promise.resolve(void (isTaken = true)));
      while (waiting.mock.calls.length === 0) await sleep(5);
      await sleep(300);
      expect(isTaken).toBe(false);
      await dataSource.query(`UPDATE ${LOCK_TABLE} SET expires_at = 1`);
      await other;
      expect(isTaken).toBe(true);
    });
  });
});
