import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { QueryFailedError } from 'typeorm';
import { ApiError, coreErrors } from '../errors/index.js';
import { databaseAnswers, Health } from './health.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('health', () => {
  it('asks each check over and over until it is drained', async () => {
    const health = new Health();
    const ask = jest.fn(() => true);
    health.contribute('kettle', ask);
    await health.start();
    expect(health.isReady).toBe(false);
    health.accept();
    await health.checkAll();
    expect(health.isReady).toBe(true);
    await jest.advanceTimersByTimeAsync(10_000);
    const asked = ask.mock.calls.length;
    expect(asked).toBeGreaterThan(1);
    health.drain();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(ask).toHaveBeenCalledTimes(asked);
    expect(health.isReady).toBe(false);
  });

  it('asks no more where it is drained while its first checks run', async () => {
    const health = new Health();
    const answer = Promise.withResolvers<boolean>();
    const ask = jest.fn(() => answer.promise);
    health.contribute('kettle', ask);
    const starting = health.start();
    health.drain();
    answer.resolve(true);
    await starting;
    await jest.advanceTimersByTimeAsync(10_000);
    expect(ask).toHaveBeenCalledTimes(1);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('is not ready while a check fails twice, and says why where the check does', async () => {
    const health = new Health();
    let failure: Error | undefined;
    health.contribute('kettle', () => {
      if (failure !== undefined) throw failure;
      return true;
    });
    await health.start();
    expect([health.isReady, health.report()]).toStrictEqual([false, { kettle: 'ok', accepting: 'failing' }]);
    health.accept();
    await health.checkAll();
    expect([health.isReady, health.hasStarted, health.reasons()]).toStrictEqual([true, true, {}]);
    for (const [error, reasons] of [
      [new Error('a secret'), {}],
      [Object.assign(new Error('a secret'), { code: 'ECONNREFUSED' }), { kettle: 'ECONNREFUSED' }],
      [Object.assign(new Error('a secret'), { code: 'ER_X', errno: 1045 }), { kettle: '1045' }],
      [unavailable('SQLITE_CORRUPT', 'disk image is malformed'), { kettle: 'SQLITE_CORRUPT: disk image is malformed' }],
      [new QueryFailedError('SELECT 1', [], Object.assign(new Error('a secret'), { errno: 1226 })), { kettle: '1226' }],
      [failedOf('SQLITE_CORRUPT'), { kettle: expect.stringContaining('SQLITE_CORRUPT: ') }],
    ] as const) {
      failure = error;
      await health.checkAll();
      await health.checkAll();
      expect([health.isReady, health.report(), health.reasons()]).toStrictEqual([
        false,
        { kettle: 'failing', accepting: 'ok' },
        reasons,
      ]);
    }
    failure = undefined;
    await health.checkAll();
    expect([health.isReady, health.report(), health.reasons()]).toStrictEqual([
      true,
      { kettle: 'ok', accepting: 'ok' },
      {},
    ]);
    failure = new Error('once');
    await health.checkAll();
    expect(health.isReady).toBe(true);
    health.drain();
    expect([health.isReady, health.report()]).toStrictEqual([false, { kettle: 'ok', accepting: 'failing' }]);
  });

  it('has one check that takes too long, or says no, fail alone', async () => {
    const health = new Health();
    health.contribute('slow', () => new Promise(() => undefined));
    health.contribute('no', () => false);
    health.contribute('good', () => true);
    const starting = health.start();
    health.accept();
    await jest.advanceTimersByTimeAsync(1499);
    let isOver = false;
    void starting.then(() => (isOver = true));
    await jest.advanceTimersByTimeAsync(0);
    expect(isOver).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    await starting;
    expect(health.report()).toStrictEqual({ slow: 'failing', no: 'failing', good: 'ok', accepting: 'ok' });
    expect([health.isReady, health.hasStarted, health.reasons()]).toStrictEqual([false, false, {}]);
    health.drain();
  });
});

function failedOf(code: string): QueryFailedError {
  return new QueryFailedError('SELECT 1', [], Object.assign(new Error('as SQLite says'), { code }));
}

function unavailable(code: string, message: string): ApiError {
  return new ApiError(coreErrors.serviceUnavailable, undefined, { cause: Object.assign(new Error(message), { code }) });
}

describe('the check of the database', () => {
  const statement = jest.fn<(...words: unknown[]) => Promise<never[]>>();
  const answers = jest.fn<(timeoutMs: number) => Promise<boolean>>();
  const link = { isCurrent: true, answers, outages: {} as { fault?: Error; damagedFile?: Error } };
  const ask = () => databaseAnswers({ ask: statement } as never, link as never)();
  const fault = new Error('refused');

  beforeEach(() => {
    jest.resetAllMocks();
    statement.mockResolvedValue([]);
    link.outages = {};
    link.isCurrent = true;
  });

  it('asks through the pool within a second', async () => {
    expect(await ask()).toBe(true);
    expect(statement).toHaveBeenCalledWith('SELECT 1 AS one', [], { isGated: true, timeoutMs: 1000 });
    statement.mockRejectedValue(fault);
    await expect(ask()).rejects.toBe(fault);
  });

  it('asks the link while the schema is behind, and says what is known', async () => {
    link.isCurrent = false;
    answers.mockResolvedValueOnce(true).mockResolvedValue(false);
    expect(await ask()).toBe(true);
    expect(await ask()).toBe(false);
    link.outages = { fault };
    await expect(ask()).rejects.toBe(fault);
    expect(answers).toHaveBeenCalledWith(1000);
    expect(statement).not.toHaveBeenCalled();
  });

  it('fails while the file is damaged, whatever is answered', async () => {
    link.outages = { damagedFile: fault };
    await expect(ask()).rejects.toBe(fault);
  });
});
