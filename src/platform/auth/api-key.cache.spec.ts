import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { ApiError, coreErrors } from '../errors/index.js';
import { ApiKeyCache } from './api-key.cache.js';
import type { KnownApiKey } from './api-key.js';

const LIFE_MS = 5000;

function keyNamed(id: string): KnownApiKey {
  return { id, client: 'acme', hash: Buffer.alloc(32), scopes: ['*'], expiresAt: undefined, revokedAt: undefined };
}

/** The cache sends a query in a microtask, after the current code is done. */
const begun = (): Promise<void> => Promise.resolve();

/** A database that answers when the test lets it, and counts its queries. */
class SlowDatabase {
  readonly rows = new Map<string, KnownApiKey>();
  readonly queries: string[][] = [];
  private readonly open: { resolve: () => void; reject: (error: Error) => void }[] = [];

  find = async (ids: readonly string[]): Promise<KnownApiKey[]> => {
    this.queries.push([...ids]);
    const rows = ids.flatMap((id) => this.rows.get(id) ?? []);
    await new Promise<void>((resolve, reject) => this.open.push({ resolve, reject }));
    return rows;
  };

  async answer(): Promise<void> {
    await begun();
    this.open.shift()?.resolve();
    await turn();
  }

  async fail(error: Error): Promise<void> {
    await begun();
    this.open.shift()?.reject(error);
    await turn();
  }
}

let now: number;
let database: SlowDatabase;
let cache: ApiKeyCache;

beforeEach(() => {
  now = 1000;
  database = new SlowDatabase();
  database.rows.set('key00001', keyNamed('key00001'));
  cache = new ApiKeyCache(database.find, LIFE_MS, () => now);
});

/** Always a promise, although a cached key is returned without one. */
async function ask(id: string): Promise<KnownApiKey | undefined> {
  return cache.find(id);
}

async function fetched(id: string): Promise<KnownApiKey | undefined> {
  const found = cache.find(id);
  await database.answer();
  return found;
}

describe('the life of a remembered key', () => {
  it('answers at once, without a promise, until its end', async () => {
    await fetched('key00001');
    now += LIFE_MS / 2 - 1;
    expect(cache.find('key00001')).toEqual(keyNamed('key00001'));
    expect(database.queries).toHaveLength(1);
  });

  it('counts from when the query was sent, not from when it was answered', async () => {
    const found = cache.find('key00001');
    await begun();
    now += LIFE_MS - 1;
    await database.answer();
    await found;
    expect(cache.find('key00001')).not.toBeInstanceOf(Promise);
    now += 1;
    expect(cache.find('key00001')).toBeInstanceOf(Promise);
  });

  it('is renewed behind a request once half of it is over, by one query', async () => {
    await fetched('key00001');
    now += LIFE_MS / 2;
    for (let i = 0; i < 3; i++) expect(cache.find('key00001')).not.toBeInstanceOf(Promise);
    await begun();
    expect(database.queries).toHaveLength(2);
    await database.answer();
    now += LIFE_MS / 2 + 1;
    expect(cache.find('key00001')).not.toBeInstanceOf(Promise);
  });

  it('shows a revocation one life after the last query before it, whatever happens between', async () => {
    await fetched('key00001');
    database.rows.set('key00001', { ...keyNamed('key00001'), revokedAt: now });
    now += LIFE_MS - 1;
    expect(cache.find('key00001')).toEqual(keyNamed('key00001'));
    await database.fail(new ApiError(coreErrors.serviceUnavailable));
    now += 1;
    expect((await fetched('key00001'))?.revokedAt).toBeDefined();
  });

  it('ends with the key: a row that is gone is gone here', async () => {
    await fetched('key00001');
    database.rows.clear();
    now += LIFE_MS;
    expect(await fetched('key00001')).toBeUndefined();
    expect(cache.find('key00001')).toBeUndefined();
  });

  it('is nothing where it is 0', async () => {
    cache = new ApiKeyCache(database.find, 0, () => now);
    await fetched('key00001');
    expect(cache.find('key00001')).toBeInstanceOf(Promise);
  });
});

describe('unknown ids', () => {
  it('are remembered as long as known ones', async () => {
    expect(await fetched('nobody00')).toBeUndefined();
    now += LIFE_MS / 2 - 1;
    expect(cache.find('nobody00')).toBeUndefined();
    expect(database.queries).toHaveLength(1);
    now += LIFE_MS;
    expect(cache.find('nobody00')).toBeInstanceOf(Promise);
  });

  it('displace each other, oldest first, and never a key', async () => {
    cache = new ApiKeyCache(database.find, LIFE_MS, () => now, 3);
    await fetched('key00001');
    for (let i = 0; i < 5; i++) await fetched(`nobody0${i}`);
    expect(cache.find('key00001')).not.toBeInstanceOf(Promise);
    expect(cache.find('nobody02')).toBeUndefined();
    expect(cache.find('nobody01')).toBeInstanceOf(Promise);
  });
});

describe('queries', () => {
  it('are shared by all who ask for one id', async () => {
    const found = [ask('key00001'), ask('key00001'), ask('key00001')];
    await database.answer();
    expect(await Promise.all(found)).toStrictEqual([keyNamed('key00001'), keyNamed('key00001'), keyNamed('key00001')]);
    expect(database.queries).toEqual([['key00001']]);
  });

  it('go out one at a time, and the next takes all who wait, up to 64', async () => {
    const found = Array.from({ length: 80 }, (_, i) => ask(`flood${String(i).padStart(3, '0')}`));
    await begun();
    const valid = cache.find('key00001');
    expect(database.queries.map((ids) => ids.length)).toEqual([64]);
    await database.answer();
    expect(database.queries.map((ids) => ids.length)).toEqual([64, 17]);
    await database.answer();
    expect(await valid).toEqual(keyNamed('key00001'));
    expect(await Promise.all(found)).toStrictEqual(found.map(() => undefined));
  });

  it('fail all who wait with the one that runs, and the next request asks anew', async () => {
    const outcomes = Promise.allSettled([ask('key00001'), ask('other001')]);
    await database.fail(new ApiError(coreErrors.serviceUnavailable));
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(database.queries).toHaveLength(1);
    expect(await fetched('key00001')).toEqual(keyNamed('key00001'));
  });

  it('that renew fail quietly, and are tried again', async () => {
    await fetched('key00001');
    now += LIFE_MS / 2;
    expect(cache.find('key00001')).toBeDefined();
    await database.fail(new ApiError(coreErrors.serviceUnavailable));
    expect(cache.find('key00001')).not.toBeInstanceOf(Promise);
    await begun();
    expect(database.queries).toHaveLength(3);
  });

  it('do not run in the context of the request that starts them', async () => {
    const request = new AsyncLocalStorage<string>();
    let seen: string | undefined = 'never asked';
    const elsewhere = new ApiKeyCache(async () => {
      seen = request.getStore();
      return [];
    }, LIFE_MS);
    await request.run('a request', () => elsewhere.find('key00001'));
    expect(seen).toBeUndefined();
  });
});
