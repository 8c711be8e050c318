import { describe, expect, it } from '@jest/globals';
import { SharedRead } from './shared-read.js';

const outside = { inTransaction: false };

describe('SharedRead', () => {
  it('never answers with a read that began before the question', async () => {
    let stored = 1;
    const gate = Promise.withResolvers<undefined>();
    const reads = new SharedRead<number>(outside);
    const slowly = async (): Promise<number> => {
      const seen = stored;
      await gate.promise;
      return seen;
    };
    const early = reads.of('page', slowly);
    stored = 2;
    const late = reads.of('page', slowly);
    gate.resolve(undefined);
    expect(await Promise.all([early, late])).toEqual([1, 2]);
  });

  it('reads once for all who asked while a read ran', async () => {
    let count = 0;
    const reads = new SharedRead<number>(outside);
    const read = async (): Promise<number> => {
      await new Promise(setImmediate);
      return (count += 1);
    };
    const results = await Promise.all(Array.from({ length: 20 }, () => reads.of('page', read)));
    expect(results).toEqual([1, ...Array.from({ length: 19 }, () => 2)]);
    expect(await reads.of('page', read)).toBe(3);
  });

  it('keeps different keys apart', async () => {
    const reads = new SharedRead<string>(outside);
    const read = (text: string) => () => Promise.resolve(text);
    expect(await Promise.all([reads.of('a', read('a')), reads.of('b', read('b'))])).toEqual(['a', 'b']);
  });

  it('fails those who wait with the read they waited for, and reads anew after', async () => {
    let fails = true;
    const reads = new SharedRead<string>(outside);
    const read = async (): Promise<string> => {
      await new Promise(setImmediate);
      if (fails) throw new Error('down');
      return 'up';
    };
    const results = await Promise.allSettled([reads.of('page', read), reads.of('page', read)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fails = false;
    expect(await reads.of('page', read)).toBe('up');
  });

  it('reads alone inside a transaction, which sees what it wrote itself', async () => {
    let count = 0;
    const reads = new SharedRead<number>({ inTransaction: true });
    const read = (): Promise<number> => Promise.resolve((count += 1));
    expect(await Promise.all([reads.of('page', read), reads.of('page', read)])).toEqual([1, 2]);
  });
});
