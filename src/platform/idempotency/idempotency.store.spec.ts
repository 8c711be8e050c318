import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createDataSource, type PlatformDataSource } from '../database/index.js';
import { loadConfig } from '../config/index.js';
import { Answer } from '../http/index.js';
import { bytesOf } from '../json/index.js';
import { IdempotencyRecord, IdempotencyStore } from './idempotency.store.js';
import { CreateIdempotencyRecords1764201550000 } from './migrations/create-idempotency-records.1764201550000.js';

const RETENTION_MS = 3_600_000;

let dataSource: PlatformDataSource;
let store: IdempotencyStore;

beforeEach(async () => {
  const retention = { IDEMPOTENCY_RETENTION_MS: String(RETENTION_MS) };
  const config = loadConfig({ NODE_ENV: 'test', DATABASE_URL: 'sqlite::memory:', ...retention });
  const tables = { entities: [IdempotencyRecord], migrations: [CreateIdempotencyRecords1764201550000] };
  dataSource = await createDataSource(config, [tables]);
  await dataSource.initialize();
  await dataSource.runMigrations();
  store = new IdempotencyStore(dataSource, config);
});

afterEach(() => dataSource.destroy());

const BODY = bytesOf('{"name":"Łajka"}');

async function put(id: string): Promise<void> {
  await store.claim(id, 'fingerprint');
  await store.complete(id, new Answer(201, BODY, { Location: '/v1/pets/1' }));
}

/** Makes records `byMs` milliseconds older than their retention. With a negative value they are younger. */
async function age(ids: string, byMs: number): Promise<void> {
  await dataSource.query('UPDATE idempotency_record SET expires_at = expires_at - ? WHERE id LIKE ?', [
    BigInt(RETENTION_MS + byMs),
    ids,
  ]);
}

const ids = async () =>
  (await dataSource.query<{ id: string }[]>('SELECT id FROM idempotency_record ORDER BY id')).map(({ id }) => id);

describe('a record', () => {
  it('comes back as it was completed, until it expires', async () => {
    await put('a');
    expect(await store.find('a')).toStrictEqual({
      fingerprint: 'fingerprint',
      answer: new Answer(201, BODY, { Location: '/v1/pets/1' }),
    });
    expect(await store.find('b')).toBeUndefined();
    await age('a', 0);
    expect(await store.find('a')).toBe('expired');
  });

  it('is claimed once, until it has expired and been removed', async () => {
    expect(await store.claim('a', 'fingerprint')).toBe(true);
    expect(await store.claim('a', 'fingerprint')).toBe(false);
    await store.removeExpired('a');
    expect(await store.claim('a', 'fingerprint')).toBe(false);
    await age('a', 0);
    expect(await store.claim('a', 'fingerprint')).toBe(false);
    await store.removeExpired('a');
    expect(await store.claim('a', 'fingerprint')).toBe(true);
  });

  it('expires as much later as the configuration says', async () => {
    const before = Date.now();
    await put('a');
    const [row] = await dataSource.query<{ expires_at: number }[]>('SELECT expires_at FROM idempotency_record');
    const madeAt = Number(row?.expires_at) - RETENTION_MS;
    expect(madeAt).toBeGreaterThanOrEqual(before);
    expect(madeAt).toBeLessThanOrEqual(Date.now());
  });

  it('is held while it is there and has not expired', async () => {
    expect(await store.isHeld('a')).toBe(false);
    await store.claim('a', 'fingerprint');
    expect(await store.isHeld('a')).toBe(true);
    await age('a', 0);
    expect(await store.isHeld('a')).toBe(false);
  });
});

describe('a purge', () => {
  it('deletes what has expired, a batch at a time, and nothing else', async () => {
    await dataSource.transaction(async () => {
      for (let n = 0; n < 1201; n += 1) await put(`old-${n}`);
      for (const id of ['live', 'nearly']) await put(id);
    });
    await age('old-%', 0);
    await age('nearly', -60_000);
    expect([await store.purge(), await store.purge(), await store.purge()]).toEqual([500, 500, 201]);
    expect(await store.purge()).toBe(0);
    expect(await ids()).toStrictEqual(['live', 'nearly']);
  });

  it('of three records is the statement of one of four, since a server keeps each that it has seen', async () => {
    const logged = jest.spyOn(dataSource.logger, 'logQuery');
    for (const many of [3, 4]) {
      for (let n = 0; n < many; n += 1) await put(`old-${n}`);
      await age('old-%', 0);
      expect(await store.purge()).toBe(many);
    }
    const deletes = logged.mock.calls.map(([sql]) => sql).filter((sql) => sql.startsWith('DELETE'));
    expect(deletes).toHaveLength(2);
    expect(new Set(deletes).size).toBe(1);
  });
});
