import { describe, expect, it } from '@jest/globals';
import { QueryFailedError } from 'typeorm';
import { ApiError, coreErrors } from '../errors/index.js';
import { Batcher } from './batcher.js';

/** Work that ends when the test says so. So a test decides what arrives while it runs. */
class Works {
  readonly batches: { items: readonly number[]; done: PromiseWithResolvers<readonly number[]> }[] = [];

  readonly run = (items: readonly number[]): Promise<readonly number[]> => {
    const done = Promise.withResolvers<readonly number[]>();
    this.batches.push({ items, done });
    return done.promise;
  };

  async finish(index: number): Promise<void> {
    const batch = this.batches[index];
    batch?.done.resolve(batch.items.map((item) => item * 10));
    await new Promise(setImmediate);
  }

  async refuse(index: number, error: Error): Promise<void> {
    this.batches[index]?.done.reject(error);
    await new Promise(setImmediate);
  }
}

const outside = { inTransaction: false };

/** A batch begins after the code that added its items. */
const begun = (): Promise<void> => Promise.resolve();

describe('Batcher', () => {
  it('runs what is asked at once together, and so what arrives meanwhile', async () => {
    const works = new Works();
    const batcher = new Batcher(outside, works.run);
    const results = [1, 2].map((item) => batcher.add(item));
    await begun();
    expect(works.batches.map(({ items }) => items)).toEqual([[1, 2]]);
    results.push(...[3, 4].map((item) => batcher.add(item)));
    await begun();
    expect(works.batches).toHaveLength(1);
    await works.finish(0);
    expect(works.batches.map(({ items }) => items)).toEqual([
      [1, 2],
      [3, 4],
    ]);
    await works.finish(1);
    expect(await Promise.all(results)).toEqual([10, 20, 30, 40]);
  });

  it('splits more than a batch takes', async () => {
    const works = new Works();
    const batcher = new Batcher(outside, works.run, { most: 2 });
    const results = [1, 2, 3].map((item) => batcher.add(item));
    await begun();
    await works.finish(0);
    await works.finish(1);
    expect(works.batches.map(({ items }) => items)).toEqual([[1, 2], [3]]);
    expect(await Promise.all(results)).toEqual([10, 20, 30]);
  });

  it('asks once for those who want the same, and begins after all of them asked', async () => {
    const works = new Works();
    const batcher = new Batcher(outside, works.run, { shareEqual: true });
    const results = [2, 2, 3, 2].map((item) => batcher.add(item));
    await begun();
    expect(works.batches.map(({ items }) => items)).toEqual([[2, 3]]);
    const late = batcher.add(2);
    await works.finish(0);
    expect(await Promise.all(results)).toEqual([20, 20, 30, 20]);
    await works.finish(1);
    expect(works.batches.map(({ items }) => items)).toEqual([[2, 3], [2]]);
    expect(await late).toBe(20);
  });

  it('shares with nobody who asks for anything else, in a field that was added later too', async () => {
    const asked: unknown[] = [];
    const work = async (items: readonly object[]): Promise<readonly object[]> => {
      asked.push(...items);
      return items;
    };
    const batcher = new Batcher<object, object>(outside, work, { shareEqual: true });
    const items = [
      { after: 1n },
      { after: 1n, category: 7n },
      { after: '1' },
      { after: 1 },
      { after: null },
      { after: Infinity },
      { after: new Set([1]) },
      { after: new Set([2]) },
      { after: new Map([[1, 2n]]) },
    ];
    expect(await Promise.all([...items, { after: 1n }].map((item) => batcher.add(item)))).toStrictEqual([
      ...items,
      items[0],
    ]);
    expect(asked).toStrictEqual(items);
  });

  class Secret {
    readonly #value: number;
    constructor(value: number) {
      this.#value = value;
    }
    get value(): number {
      return this.#value;
    }
  }
  const moment = new Date(1_700_000_000_000);

  it.each<[unknown, unknown]>([
    [[undefined], [null]],
    [[moment], [moment.toISOString()]],
    [[moment], [new Date(1_700_000_000_001)]],
    [{ bigint: '5' }, 5n],
    [[{ bigint: '5' }], [5n]],
    [['5'], [5n]],
    [['\0bigint 5'], [5n]],
    [['\0string \0bigint 5'], ['\0bigint 5']],
    [new Map([[1, 2]]), new Set([[1, 2]])],
    [new Set([1]), { entries: [1] }],
    [[-0], [0]],
    [[NaN], [null]],
    [{ a: 1 }, '{"a":1}'],
    [['a'], '["a"]'],
    ['a', "'a"],
    [undefined, '\\u0000undefined undefined"'],
    [1, '1'],
  ])('tells %p and %p apart', async (one, other) => {
    const asked: unknown[] = [];
    const work = (items: readonly unknown[]) => Promise.resolve(asked.push(...items) > 0 ? items : items);
    const batcher = new Batcher<unknown, unknown>(outside, work, { shareEqual: true });
    await Promise.all([one, other, one].map((item) => batcher.add(item)));
    expect(asked).toStrictEqual([one, other]);
  });

  it.each([/x/, new Secret(1), [new Secret(1)], { at: () => 1 }, Buffer.from('a'), new Map([[1, new Secret(1)]])])(
    'refuses to compare %p',
    async (item) => {
      const batcher = new Batcher<unknown, unknown>(outside, (items) => Promise.resolve(items), { shareEqual: true });
      await expect(batcher.add(item)).rejects.toThrow(new TypeError('A batched item is made of plain data'));
      expect(await batcher.add('next')).toBe('next');
    },
  );

  it('takes as many different items as a batch may have, with all who want the same until there', async () => {
    const works = new Works();
    const batcher = new Batcher(outside, works.run, { shareEqual: true, most: 2 });
    const results = [1, 1, 2, 1, 3, 1, 4].map((item) => batcher.add(item));
    await begun();
    for (const batch of [0, 1, 2]) await works.finish(batch);
    expect(works.batches.map(({ items }) => items)).toEqual([[1, 2], [3, 1], [4]]);
    expect(await Promise.all(results)).toEqual([10, 10, 20, 10, 30, 10, 40]);
  });

  it.each([0, 65, NaN])('refuses batches of %d', (most) => {
    expect(() => new Batcher(outside, new Works().run, { most })).toThrow(RangeError);
  });

  it('answers no more than 64 in one go, though all want the same', async () => {
    const works = new Works();
    const batcher = new Batcher(outside, works.run, { shareEqual: true });
    const added = Array.from({ length: 100 }, () => batcher.add(7));
    await begun();
    await works.finish(0);
    await works.finish(1);
    expect(works.batches.map(({ items }) => items)).toEqual([[7], [7]]);
    expect(new Set(await Promise.all(added))).toEqual(new Set([70]));
  });

  it('lets one bad item hurt nobody else', async () => {
    const batcher = new Batcher<number, number>(outside, (items) => {
      return items.includes(13)
        ? Promise.reject(new Error('refused'))
        : Promise.resolve(items.map((item) => item * 10));
    });
    const results = await Promise.allSettled([1, 12, 13, 14].map((item) => batcher.add(item)));
    expect(results.map((result) => (result.status === 'fulfilled' ? result.value : 'refused'))).toEqual([
      10,
      120,
      'refused',
      140,
    ]);
  });

  it('tries those who want the same once more together, not each alone', async () => {
    const tried: number[][] = [];
    const work = (items: readonly number[]): Promise<number[]> => {
      tried.push([...items]);
      return Promise.reject(new Error('refused'));
    };
    const batcher = new Batcher<number, number>(outside, work, { shareEqual: true });
    const results = await Promise.allSettled([1, 1, 2, 2, 2].map((item) => batcher.add(item)));
    expect(results.every(({ status }) => status === 'rejected')).toBe(true);
    expect(tried).toEqual([[1, 2], [1], [2]]);
  });

  it('tries nothing again where the database did not answer, and keeps nobody waiting', async () => {
    const works = new Works();
    const batcher = new Batcher(outside, works.run);
    const results = Promise.allSettled([1, 2, 3].map((item) => batcher.add(item)));
    await begun();
    await works.refuse(0, new ApiError(coreErrors.serviceUnavailable));
    expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(works.batches).toHaveLength(1);
  });

  it('tells those who wait behind it that they were not asked for, not what became of the others', async () => {
    const works = new Works();
    const batcher = new Batcher(outside, works.run);
    const add = (item: number) => batcher.add(item).catch((error: unknown) => (error as Error).message);
    const asked = add(1);
    await begun();
    const waiting = add(2);
    await works.refuse(0, new ApiError(coreErrors.serviceUnavailable, 'Nobody knows what became of it.'));
    const [first, second] = await Promise.all([asked, waiting]);
    expect([first, second]).toEqual([
      'Nobody knows what became of it.',
      new ApiError(coreErrors.serviceUnavailable).message,
    ]);
  });

  it('goes on with those who wait where another transaction was in the way of a batch', async () => {
    const works = new Works();
    const batcher = new Batcher(outside, works.run);
    const asked = batcher.add(1);
    await begun();
    const results = Promise.allSettled([asked, batcher.add(2)]);
    await works.refuse(0, new QueryFailedError('', [], Object.assign(new Error('locked'), { errno: 1205 })));
    await works.finish(1);
    expect((await results).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  });

  it('stops trying one by one once the database does not answer', async () => {
    const works = new Works();
    const batcher = new Batcher(outside, works.run);
    const results = Promise.allSettled([1, 2, 3].map((item) => batcher.add(item)));
    await begun();
    await works.refuse(0, new Error('refused'));
    await works.finish(1);
    await works.refuse(2, new ApiError(coreErrors.serviceUnavailable));
    expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(works.batches.map(({ items }) => items)).toEqual([[1, 2, 3], [1], [2]]);
  });

  it('refuses what would make its queue grow without end', async () => {
    const batcher = new Batcher<number, number>(outside, () => new Promise(() => undefined));
    const added = Array.from({ length: 1001 }, (_, item) => batcher.add(item));
    await expect(added.at(-1)).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  it('lets an item of a transaction travel alone', async () => {
    const works = new Works();
    const batcher = new Batcher({ inTransaction: true }, works.run);
    const results = [1, 2].map((item) => batcher.add(item));
    expect(works.batches.map(({ items }) => items)).toEqual([[1], [2]]);
    await works.finish(0);
    await works.finish(1);
    expect(await Promise.all(results)).toEqual([10, 20]);
  });
});
