import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { QueryFailedError, type DataSource } from 'typeorm';
import { ApiError, coreErrors } from '../errors/index.js';
import { Answer } from '../http/index.js';
import { bytesOf } from '../json/index.js';
import { Idempotency } from './idempotency.js';
import type { IdempotencyStore } from './idempotency.store.js';

const MADE = new Answer(201, bytesOf('{"id":1}'), { Location: '/v1/pets/1' });
const REPLAYED = new Answer(201, MADE.bytes, { Location: '/v1/pets/1', 'Idempotent-Replayed': 'true' });
const STORED = { fingerprint: 'body', answer: MADE };

const store = {
  find: jest.fn<IdempotencyStore['find']>(),
  isHeld: jest.fn<IdempotencyStore['isHeld']>(),
  claim: jest.fn<IdempotencyStore['claim']>(),
  removeExpired: jest.fn<IdempotencyStore['removeExpired']>(),
  complete: jest.fn<IdempotencyStore['complete']>(),
};
const transaction = jest.fn(<T>(work: () => Promise<T>) => work());
const work = jest.fn<() => Promise<Answer>>();
let idempotency: Idempotency;

beforeEach(() => {
  jest.useFakeTimers();
  jest.resetAllMocks();
  transaction.mockImplementation((run) => run());
  store.claim.mockResolvedValue(true);
  store.isHeld.mockResolvedValue(false);
  work.mockResolvedValue(MADE);
  const parts = { store, dataSource: { transaction } } as unknown as {
    store: IdempotencyStore;
    dataSource: DataSource;
  };
  idempotency = new Idempotency(parts.store, parts.dataSource);
});

afterEach(() => void jest.useRealTimers());

const once = (fingerprint = 'body') => idempotency.once('id', fingerprint, work);
const failure = (promise: Promise<unknown>) => promise.then(String, (error: unknown) => error as ApiError);
const failed = (fault: object) => new QueryFailedError('INSERT', [], Object.assign(new Error('a fault'), fault));
const locked = () => failed({ errno: 1205 });
const inUse = expect.objectContaining({ code: 'idempotency_key_in_use', status: 409, headers: { 'Retry-After': '1' } });
const reused = expect.objectContaining({ code: 'idempotency_key_reused', status: 422 });

describe('the first request with a key', () => {
  it('is worked on in one transaction with its record', async () => {
    transaction.mockImplementation(async (run) => {
      const result = await run();
      expect([store.claim.mock.calls, work.mock.calls, store.complete.mock.calls]).toEqual([
        [['id', 'body']],
        [[]],
        [['id', MADE]],
      ]);
      return result;
    });
    expect(await once()).toBe(MADE);
    expect(transaction).toHaveBeenCalledTimes(1);
    expect(store.removeExpired).not.toHaveBeenCalled();
  });

  it('makes way where an earlier record has expired', async () => {
    store.find.mockResolvedValue('expired');
    expect(await once()).toBe(MADE);
    expect(store.removeExpired.mock.calls).toEqual([['id']]);
    expect(store.removeExpired.mock.invocationCallOrder[0]!).toBeLessThan(store.claim.mock.invocationCallOrder[0]!);
  });

  it('fails as its work does, and stores nothing', async () => {
    work.mockRejectedValue(new ApiError(coreErrors.invalidField));
    expect(await failure(once())).toMatchObject({ code: 'invalid_field' });
    expect(store.complete).not.toHaveBeenCalled();
    work.mockResolvedValue(MADE);
    expect(await once()).toBe(MADE);
  });

  it('that meets a lock in its work is told of the lock', async () => {
    const lock = locked();
    work.mockRejectedValue(lock);
    store.isHeld.mockResolvedValue(true);
    expect(await failure(once())).toBe(lock);
    expect(transaction).toHaveBeenCalledTimes(1);
  });
});

describe('a later request with the key', () => {
  it('gets the stored answer, marked, where its body is the same', async () => {
    store.find.mockResolvedValue(STORED);
    expect(await once()).toStrictEqual(REPLAYED);
    expect(await failure(once('other'))).toEqual(reused);
    expect([transaction.mock.calls, work.mock.calls]).toEqual([[], []]);
  });

  it('gets the answer of the replica that was faster', async () => {
    store.find.mockResolvedValueOnce(undefined).mockResolvedValue(STORED);
    store.claim.mockResolvedValue(false);
    expect(await once()).toStrictEqual(REPLAYED);
    expect([work.mock.calls, store.complete.mock.calls]).toEqual([[], []]);
  });

  it.each([undefined, 'expired'] as const)('is told to come again where what was faster is %s', async (winner) => {
    store.find.mockResolvedValueOnce(undefined).mockResolvedValue(winner);
    store.claim.mockResolvedValue(false);
    expect(await failure(once())).toEqual(inUse);
  });
});

describe('a lock on the way to the key', () => {
  it('of its own holder is waited for, up to 2 s', async () => {
    store.isHeld.mockResolvedValue(true);
    store.claim.mockImplementation(async () => {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      throw locked();
    });
    const refused = failure(once());
    await jest.advanceTimersByTimeAsync(1900);
    expect(store.claim).toHaveBeenCalledTimes(2);
    await jest.advanceTimersByTimeAsync(200);
    expect(await refused).toEqual(inUse);
    expect(store.claim).toHaveBeenCalledTimes(2);
  });

  it('of its own holder, who ends in time, is waited for', async () => {
    store.isHeld.mockResolvedValue(true);
    store.claim.mockRejectedValueOnce(locked()).mockResolvedValue(false);
    store.find.mockResolvedValueOnce(undefined).mockResolvedValue(STORED);
    expect(await once()).toStrictEqual(REPLAYED);
  });

  it.each(['claim', 'removeExpired'] as const)('of anybody else is what the request is told of, at %s', async (at) => {
    store.find.mockResolvedValue('expired');
    const lock = locked();
    store[at].mockRejectedValue(lock);
    expect(await failure(once())).toBe(lock);
    expect(store.isHeld.mock.calls).toEqual([['id']]);
    expect(transaction).toHaveBeenCalledTimes(1);
  });

  it('is no other failure', async () => {
    const fault = new Error('of the program');
    store.claim.mockRejectedValue(fault);
    expect(await failure(once())).toBe(fault);
    expect(store.isHeld).not.toHaveBeenCalled();
  });
});

describe('requests at the same time', () => {
  it('take the outcome from the first and ask the database nothing', async () => {
    const answers = await Promise.all([once(), ...Array.from({ length: 200 }, () => once())]);
    expect(answers[0]).toBe(MADE);
    for (const answer of answers.slice(1)) expect(answer).toStrictEqual(REPLAYED);
    expect([store.find.mock.calls.length, transaction.mock.calls.length]).toEqual([1, 1]);
  });

  it('with other bodies are refused', async () => {
    const [first, ...others] = [once(), failure(once('other')), failure(once('another'))];
    expect(await first).toBe(MADE);
    expect(await Promise.all(others)).toEqual([reused, reused]);
  });

  it('are judged by the stored body, not by that of the first of them', async () => {
    store.find.mockResolvedValue(STORED);
    const [first, second] = [failure(once('other')), once()];
    expect(await first).toEqual(reused);
    expect(await second).toStrictEqual(REPLAYED);
    expect(store.find).toHaveBeenCalledTimes(1);
  });

  it('take over one after the other where the first fails', async () => {
    work.mockRejectedValueOnce(new ApiError(coreErrors.invalidField));
    const [first, ...others] = [failure(once()), once(), once(), once()];
    expect(await first).toMatchObject({ code: 'invalid_field' });
    expect(await Promise.all(others)).toEqual([MADE, REPLAYED, REPLAYED]);
    expect(work).toHaveBeenCalledTimes(2);
  });

  it('share that the database cannot be used', async () => {
    const lock = locked();
    store.claim.mockRejectedValue(lock);
    expect(await Promise.all([failure(once()), failure(once()), failure(once())])).toEqual([lock, lock, lock]);
    expect(store.claim).toHaveBeenCalledTimes(1);
  });

  it('find out what became of a first whose outcome is not known', async () => {
    const lost = failed({ code: 'ECONNRESET', outcome: 'unknown' });
    transaction.mockImplementationOnce(async (run) => {
      await run();
      throw lost;
    });
    store.find.mockResolvedValueOnce(undefined).mockResolvedValue(STORED);
    const [first, second] = [failure(once()), once()];
    expect(await first).toBe(lost);
    expect(await second).toStrictEqual(REPLAYED);
  });

  it('give up after 2 s on a first that takes longer, which goes on', async () => {
    const late = Promise.withResolvers<Answer>();
    work.mockReturnValueOnce(late.promise);
    const first = once();
    const second = failure(once());
    await jest.advanceTimersByTimeAsync(1999);
    const third = once();
    await jest.advanceTimersByTimeAsync(1);
    expect(await second).toEqual(inUse);
    late.resolve(MADE);
    expect(await first).toBe(MADE);
    expect(await third).toStrictEqual(REPLAYED);
  });
});
