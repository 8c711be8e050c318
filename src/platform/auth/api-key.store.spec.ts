import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PlatformDataSource } from '../database/index.js';
import { loadConfig } from '../config/index.js';
import { createDataSource, isDuplicateKey } from '../database/index.js';
import { hashApiKey, nameOfDay, stateOf, type StoredApiKey } from './api-key.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { ApiKeyStore, createFirstKey, KeyProblem, storedApiKey } from './api-key.store.js';
import { KeyAudit, type KeyEvent } from './key-audit.js';
import { CreateApiKeys1764201500000 } from './migrations/create-api-keys.1764201500000.js';

class RecordedAudit extends KeyAudit {
  readonly events: KeyEvent[] = [];

  record(event: KeyEvent): void {
    this.events.push(event);
  }
}

const READER = { client: 'acme', scopes: ['pets:read'], expiresAt: undefined };

let now: number;
let dataSource: PlatformDataSource;
let audit: RecordedAudit;
let store: ApiKeyStore;

beforeEach(async () => {
  now = Date.UTC(2026, 0, 15);
  const config = loadConfig({ NODE_ENV: 'test', DATABASE_URL: 'sqlite::memory:' });
  const tables = { entities: [ApiKeyEntity], migrations: [CreateApiKeys1764201500000] };
  dataSource = await createDataSource(config, [tables]);
  await dataSource.initialize();
  await dataSource.runMigrations();
  audit = new RecordedAudit();
  store = new ApiKeyStore(dataSource, { now: () => now }, audit, 'live');
});

afterEach(() => dataSource.destroy());

describe('a new key', () => {
  it('is stored as its hash, with its terms', async () => {
    const key = await store.create({
      client: 'Zoë & 友達',
      scopes: ['pets:read', 'pets:write'],
      expiresAt: now + 1000,
    });
    expect(key.text).toMatch(/^as_live_/);
    expect(await store.findMany([key.publicId])).toEqual([
      {
        id: key.publicId,
        client: 'Zoë & 友達',
        hash: hashApiKey(key.text),
        scopes: ['pets:read', 'pets:write'],
        createdAt: now,
        expiresAt: now + 1000,
        revokedAt: undefined,
        lastUsedDay: undefined,
      },
    ]);
  });

  it('leaves its text nowhere', async () => {
    const { text } = await store.create(READER);
    const rows = await dataSource.query('SELECT * FROM api_key');
    const written = JSON.stringify([rows, audit.events], (_name, value: unknown) => String(value));
    expect(written).not.toContain(text.slice(17));
  });

  it('is told to the audit', async () => {
    const { publicId } = await store.create(READER);
    expect(audit.events).toEqual([{ event: 'key.created', keyId: publicId, ...READER }]);
  });

  it('is refused under an id that is taken, and not told', async () => {
    await store.create(READER, 'AbCdEfGh');
    expect(await store.create(READER, 'AbCdEfGh').catch(isDuplicateKey)).toBe(true);
    await store.create(READER, 'abcdefgh');
    expect(audit.events).toHaveLength(2);
  });
});

describe('list and findMany', () => {
  it('list every key, oldest first', async () => {
    const first = await store.create(READER);
    now += 1;
    const second = await store.create(READER);
    await store.revoke(first.publicId);
    expect((await store.list()).map(({ id }) => id)).toEqual([first.publicId, second.publicId]);
  });

  it.each([1, 2, 8, 9, 64])('find %i keys at once, and only those', async (count) => {
    const ids = [];
    for (let i = 0; i < count; i++) ids.push((await store.create(READER)).publicId);
    await store.create(READER);
    const found = await store.findMany(ids);
    expect(found.map(({ id }) => id).sort()).toEqual(ids.sort());
  });

  it('tell ids apart by case', async () => {
    await store.create(READER, 'AbCdEfGh');
    expect(await store.findMany(['abcdefgh'])).toEqual([]);
  });
});

describe('revoke', () => {
  it('revokes once, for good, and tells the audit', async () => {
    const { publicId } = await store.create(READER);
    expect(await store.revoke(publicId)).toBe(true);
    now += 1000;
    expect(await store.revoke(publicId)).toBe(false);
    expect((await store.findMany([publicId]))[0]?.revokedAt).toBe(now - 1000);
    expect(audit.events.slice(1)).toEqual([{ event: 'key.revoked', keyId: publicId, client: 'acme' }]);
  });

  it('says that there is no such key', async () => {
    await expect(store.revoke('nobody00')).rejects.toThrow(new KeyProblem('There is no key with the id nobody00.'));
  });
});

describe('roll', () => {
  it('makes a key of the same client and scopes, and lets the old one work for the overlap', async () => {
    const old = await store.create(READER);
    const rolled = await store.roll(old.publicId, 60_000);
    const [before, after] = [await store.findMany([old.publicId]), await store.findMany([rolled.publicId])];
    expect(before[0]?.expiresAt).toBe(now + 60_000);
    expect(after[0]).toMatchObject({ client: 'acme', scopes: ['pets:read'], expiresAt: undefined });
    expect(audit.events.slice(1)).toEqual([
      {
        event: 'key.rolled',
        keyId: old.publicId,
        successorId: rolled.publicId,
        client: 'acme',
        expiresAt: now + 60_000,
      },
    ]);
  });

  it('never lengthens the life of the old key', async () => {
    const old = await store.create({ ...READER, expiresAt: now + 10 });
    const rolled = await store.roll(old.publicId, 60_000, now + 5000);
    expect((await store.findMany([old.publicId]))[0]?.expiresAt).toBe(now + 10);
    expect((await store.findMany([rolled.publicId]))[0]?.expiresAt).toBe(now + 5000);
  });

  it('refuses a revoked or expired key, and changes nothing', async () => {
    const revoked = await store.create(READER);
    await store.revoke(revoked.publicId);
    const expired = await store.create({ ...READER, expiresAt: now + 1 });
    now += 1;
    await expect(store.roll(revoked.publicId, 0)).rejects.toThrow(`Key ${revoked.publicId} is revoked`);
    await expect(store.roll(expired.publicId, 0)).rejects.toThrow(`Key ${expired.publicId} is expired`);
    expect(await store.list()).toHaveLength(2);
  });

  it('leaves the old key alone where the new one cannot be stored', async () => {
    const old = await store.create(READER);
    await dataSource.query("CREATE TRIGGER full BEFORE INSERT ON api_key BEGIN SELECT RAISE(ABORT, 'full'); END");
    await expect(store.roll(old.publicId, 0)).rejects.toThrow();
    expect((await store.findMany([old.publicId]))[0]?.expiresAt).toBeUndefined();
    expect(audit.events).toHaveLength(1);
  });
});

describe('markUsed', () => {
  it('moves the day forward only', async () => {
    const [one, other] = [await store.create(READER), await store.create(READER)];
    await store.markUsed([one.publicId, other.publicId], 20_000);
    await store.markUsed([one.publicId], 20_001);
    await store.markUsed([one.publicId, other.publicId], 20_000);
    const days = new Map((await store.list()).map(({ id, lastUsedDay }) => [id, lastUsedDay]));
    expect(days.get(one.publicId)).toBe(20_001);
    expect(days.get(other.publicId)).toBe(20_000);
  });
});

describe('the first key', () => {
  it('is made where there is none, for everything', async () => {
    const text = await createFirstKey(store);
    expect(text).toMatch(/^as_live_firstkey_/);
    expect(await store.list()).toMatchObject([{ client: 'first-key', scopes: ['*'], expiresAt: undefined }]);
  });

  it('is not made where there is or was any key', async () => {
    const { publicId } = await store.create(READER);
    await store.revoke(publicId);
    expect(await createFirstKey(store)).toBeUndefined();
  });

  it('is made once, however many processes start', async () => {
    const texts = await Promise.all(Array.from({ length: 5 }, () => createFirstKey(store)));
    expect(texts.filter((text) => text !== undefined)).toHaveLength(1);
    expect(await store.list()).toHaveLength(1);
  });
});

describe('the migration', () => {
  it('makes what the entity describes', async () => {
    const { columns } = (await dataSource.createQueryRunner().getTable('api_key'))!;
    const described = dataSource.getMetadata(ApiKeyEntity).columns;
    const facts = (name: string, nullable: boolean, primary: boolean): string => `${name} ${nullable} ${primary}`;
    expect(columns.map((column) => facts(column.name, column.isNullable, column.isPrimary))).toEqual(
      described.map((column) => facts(column.databaseName, column.isNullable, column.isPrimary)),
    );
  });

  it('may run again after it was cut off before it was recorded', async () => {
    await store.create(READER);
    await new CreateApiKeys1764201500000().up(dataSource.createQueryRunner());
    expect(await store.list()).toHaveLength(1);
  });
});

const NOW = Date.UTC(2026, 0, 15);
const HASH = 'ab'.repeat(32);

function keyOf(changes: Record<string, unknown> = {}): StoredApiKey {
  return storedApiKey({
    id: 'abcdefgh',
    client: 'acme',
    hash: HASH,
    scopes: 'pets:read pets:write',
    created_at: BigInt(NOW),
    expires_at: null,
    revoked_at: null,
    last_used_day: null,
    ...changes,
  });
}

describe('a row', () => {
  it('is the key that it was made of', () => {
    expect(keyOf({ expires_at: BigInt(NOW + 1), revoked_at: BigInt(NOW), last_used_day: 20_468n })).toStrictEqual({
      id: 'abcdefgh',
      client: 'acme',
      hash: Buffer.from(HASH, 'hex'),
      scopes: ['pets:read', 'pets:write'],
      createdAt: NOW,
      expiresAt: NOW + 1,
      revokedAt: NOW,
      lastUsedDay: 20_468,
    });
    expect(keyOf()).toMatchObject({ expiresAt: undefined, revokedAt: undefined, lastUsedDay: undefined });
  });

  it.each([9_223_372_036_854_775_807n, -9_223_372_036_854_775_808n, 'never', ''])(
    'with the time %p is one whose times can be shown',
    (time) => {
      const key = keyOf({ created_at: time, expires_at: time, revoked_at: time, last_used_day: time });
      for (const shown of [key.createdAt, key.expiresAt, key.revokedAt]) {
        expect(new Date(shown ?? Number.NaN).toISOString()).toMatch(/Z$/);
      }
      expect(nameOfDay(key.lastUsedDay ?? Number.NaN)).toMatch(/^[-+]?\d+-/);
    },
  );
});

describe('the state', () => {
  it.each([
    ['live', {}],
    ['live', { expires_at: BigInt(NOW + 1) }],
    ['live', { expires_at: 9_223_372_036_854_775_807n }],
    ['expired', { expires_at: BigInt(NOW) }],
    ['expired', { expires_at: -9_223_372_036_854_775_808n }],
    ['expired', { expires_at: 'never' }],
    ['revoked', { revoked_at: BigInt(NOW) }],
    ['revoked', { revoked_at: BigInt(NOW + 1), expires_at: BigInt(NOW) }],
    ['revoked', { revoked_at: 'once', hash: '' }],
    ['damaged', { hash: '' }],
    ['damaged', { hash: HASH.slice(2) }],
    ['damaged', { hash: `${HASH}ab` }],
    ['damaged', { hash: 'not hexadecimal'.repeat(5), expires_at: BigInt(NOW) }],
  ])('is %s: %p', (state, changes) => {
    expect(stateOf(keyOf(changes), NOW)).toBe(state);
  });
});
