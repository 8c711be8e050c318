import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { KeyUse, type MarkUsed } from './key-use.js';

const DAY_MS = 86_400_000;

let now: number;
let markUsed: jest.Mock<MarkUsed>;
let warn: jest.Mock<(fields: object, message: string) => void>;
let use: KeyUse;

beforeEach(() => {
  now = 20_000 * DAY_MS;
  markUsed = jest.fn<MarkUsed>(async () => {});
  warn = jest.fn();
  use = new KeyUse(markUsed, { now: () => now }, { warn } as never, 5);
});

describe('KeyUse', () => {
  it('writes a key once a day, however often it is used', async () => {
    for (let i = 0; i < 100; i++) use.note('key00001');
    await use.write();
    use.note('key00001');
    await use.write();
    expect(markUsed.mock.calls).toEqual([[['key00001'], 20_000]]);
  });

  it('writes by itself, a moment later, many keys at a time', async () => {
    const written = new Promise<void>((resolve) => {
      markUsed.mockImplementation(async () => resolve());
    });
    use.note('key00002');
    use.note('key00001');
    expect(markUsed).not.toHaveBeenCalled();
    await written;
    expect(markUsed.mock.calls).toEqual([[['key00001', 'key00002'], 20_000]]);
  });

  it('writes no more than 64 keys in one statement', async () => {
    for (let i = 0; i < 100; i++) use.note(`key${i}`);
    await use.write();
    expect(markUsed.mock.calls.map(([ids]) => ids.length)).toEqual([64, 36]);
  });

  it('begins anew with the day, and loses nothing of the old one', async () => {
    use.note('key00001');
    now += DAY_MS;
    use.note('key00001');
    await use.write();
    expect(markUsed.mock.calls).toEqual([
      [['key00001'], 20_000],
      [['key00001'], 20_001],
    ]);
  });

  it('tries a key again that could not be written, and says so once', async () => {
    markUsed.mockRejectedValue(new Error('down'));
    for (let i = 0; i < 3; i++) {
      use.note('key00001');
      await use.write();
    }
    expect(markUsed).toHaveBeenCalledTimes(3);
    expect(warn).toHaveBeenCalledTimes(1);
    markUsed.mockResolvedValue();
    use.note('key00001');
    await use.write();
    use.note('key00001');
    await use.write();
    expect(markUsed).toHaveBeenCalledTimes(4);
  });

  it('writes what is left when the service stops', async () => {
    use.note('key00001');
    await use.beforeApplicationShutdown();
    expect(markUsed).toHaveBeenCalledTimes(1);
  });
});
