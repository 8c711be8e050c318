import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { requireDurableWrites } from './durable-write.js';
import { SessionError } from './mysql-session.js';
import type { PlatformDataSource } from './data-source.js';

/** What the first session wrote, by its id. `deleted` has the ids that were deleted. */
let written: Map<string, unknown>;
let deleted: string[];
let reads: number;

/** A server that stores what `keep` makes of the text. */
function server(keep: (text: unknown) => unknown, { type = 'mysql', reads: late = 0, refuses = false } = {}) {
  const ask = (sql: string, [id, ...rest]: readonly unknown[]): Promise<unknown> => {
    const key = id as string;
    if (sql.startsWith('DELETE')) return Promise.resolve(deleted.push(key));
    if (sql.startsWith('INSERT')) {
      if (refuses) return Promise.reject(new Error('read-only'));
      const kept = keep(rest.at(-1));
      if (kept !== undefined) written.set(key, kept);
      return Promise.resolve(undefined);
    }
    reads += 1;
    return Promise.resolve(written.has(key) && reads > late ? [{ answer: written.get(key) }] : []);
  };
  const askAlone = (work: (run: typeof ask) => unknown): unknown => work(ask);
  return { options: { type }, ask, askAlone } as unknown as PlatformDataSource;
}

beforeEach(() => {
  jest.useFakeTimers({ advanceTimers: true, doNotFake: ['nextTick', 'setImmediate', 'performance'] });
  [written, deleted, reads] = [new Map(), [], 0];
});

afterEach(() => void jest.useRealTimers());

it('takes a server that keeps a row and its text, and leaves no row there', async () => {
  await requireDurableWrites(server((text) => text));
  expect(deleted).toStrictEqual([...written.keys()]);
  expect(deleted).toHaveLength(1);
  expect([...written.values()]).toStrictEqual(['é€🐶']);
});

it('waits for a node that has it a moment later', async () => {
  await requireDurableWrites(server((text) => text, { reads: 3 }));
  expect(reads).toBe(4);
});

it('refuses a server that answers a write, and does not keep it', async () => {
  const lost = requireDurableWrites(server(() => undefined));
  await expect(lost).rejects.toThrow(SessionError);
  await expect(lost).rejects.toThrow('what was written by one session is not there for the next');
  expect([reads, deleted.length]).toStrictEqual([10, 1]);
});

it.each(['??🐶', 'é€', null])('refuses a server that keeps the text as %p', async (changed) => {
  await expect(requireDurableWrites(server(() => changed))).rejects.toThrow('text that is stored comes back changed');
  expect(deleted).toHaveLength(1);
});

it('asks nothing more of a server that refuses the write, and nothing of SQLite', async () => {
  await requireDurableWrites(server((text) => text, { refuses: true }));
  await requireDurableWrites(server(() => undefined, { type: 'better-sqlite3' }));
  expect([reads, deleted.length, written.size]).toStrictEqual([0, 0, 0]);
});
