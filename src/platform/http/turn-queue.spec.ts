import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it, jest } from '@jest/globals';
import { TurnQueue } from './turn-queue.js';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('TurnQueue', () => {
  it('works on all that came in one turn, in order, and on what comes of it in the next', async () => {
    const done: number[] = [];
    const queue = new TurnQueue<number>((item) => {
      done.push(item);
      if (item === 1) queue.add(3);
    });
    queue.add(1);
    queue.add(2);
    expect(done).toEqual([]);
    await nextTurn();
    expect(done).toEqual([1, 2]);
    await nextTurn();
    expect(done).toEqual([1, 2, 3]);
  });

  it('can be worked off before the turn ends, and does nothing twice', async () => {
    const done: number[] = [];
    const queue = new TurnQueue<number>((item) => done.push(item));
    queue.add(1);
    queue.workOff();
    expect(done).toEqual([1]);
    queue.add(2);
    await nextTurn();
    expect(done).toEqual([1, 2]);
  });

  it('works outside the context of the one that came first', async () => {
    const context = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    const queue = new TurnQueue<string>(() => seen.push(context.getStore()));
    context.run('first', () => queue.add('one'));
    queue.add('other');
    await nextTurn();
    expect(seen).toStrictEqual([undefined, undefined]);
  });

  it('goes on with the others where the work on one throws', async () => {
    const planned: (() => void)[] = [];
    const immediate = jest.spyOn(globalThis, 'setImmediate').mockImplementation(((run: () => void) => {
      planned.push(run);
    }) as typeof setImmediate);
    const done: number[] = [];
    const queue = new TurnQueue<number>((item) => {
      if (item === 2) throw new Error('bad');
      done.push(item);
    });
    for (const item of [1, 2, 3]) queue.add(item);
    expect(() => planned.shift()?.()).toThrow('bad');
    expect(done).toEqual([1]);
    planned.shift()?.();
    immediate.mockRestore();
    expect(done).toEqual([1, 3]);
    await nextTurn();
  });
});
