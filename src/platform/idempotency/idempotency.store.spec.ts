import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { loadConfig } from '../config/index.js';
import { createDatabase, createDataSource, type Database } from '../database/index.js';
import { Answer } from '../http/index.js';
import { bytesOf } from '../json/index.js';
import { IdempotencyRecord } from './idempotency-record.entity.js';
import { IdempotencyStore } from './idempotency.store.js';
import { CreateIdempotencyRecords1764201550000 } from './migrations/create-idempotency-records.1764201550000.js';

const NOW = Date.UTC(2026, 0, 15);

let dataSource: DataSource;
let database: Database;
let store: IdempotencyStore;

beforeEach(async () => {
  const config = loadConfig({ NODE_ENV: 'test', DATABASE_URL: 'sqlite::memory:' });
  const tables = { entities: [IdempotencyRecord], migrations: [CreateIdempotencyRecords1764201550000] };
  dataSource = await (await createDataSource(config, [tables])).initialize();
  await dataSource.runMigrations();
  database = createDatabase(dataSource, config.database);
  store = new IdempotencyStore(database);
});

afterEach(() => dataSource.destroy());

const BODY = bytesOf('{"name":"Łajka"}');

async function put(id: string, expiresAt: number): Promise<void> {
  await store.claim(id, 'fingerprint', expiresAt);
  await store.complete(id, new Answer(201, BODY, { Location: '/v1/pets/1' }));
}

const ids = async () => (await database.query('SELECT id FROM idempotency_record ORDER BY id')).map((row) => row['id']);

describe('a record', () => {
  it('comes back as it was completed', async () => {
    await put('a', NOW);
    expect(await store.find('a')).toEqual({
      fingerprint: 'fingerprint',
      answer: new Answer(201, BODY, { Location: '/v1/pets/1' }),
      expiresAt: NOW,
    });
    expect(await store.find('b')).toBeUndefined();
  });

  it('is claimed once, until it has expired and been removed', async () => {
    expect(await store.claim('a', 'fingerprint', NOW)).toBe(true);
    expect(await store.claim('a', 'fingerprint', NOW)).toBe(false);
    await store.removeExpired('a', NOW - 1);
    expect(await store.claim('a', 'fingerprint', NOW)).toBe(false);
    await store.removeExpired('a', NOW);
    expect(await store.claim('a', 'fingerprint', NOW + 1)).toBe(true);
  });
});

describe('a purge', () => {
  it('deletes what has expired, a batch at a time, and nothing else', async () => {
    await database.transaction(async () => {
      for (let n = 0; n < 1201; n += 1) await put(`old-${n}`, NOW - n);
      await put('live', NOW + 1);
    });
    expect([await store.purge(NOW), await store.purge(NOW), await store.purge(NOW)]).toEqual([500, 500, 201]);
    expect(await store.purge(NOW)).toBe(0);
    expect(await ids()).toEqual(['live']);
  });

  it('of three records is the statement of one of four, since a server keeps each that it has seen', async () => {
    const execute = jest.spyOn(database, 'execute');
    for (const many of [3, 4]) {
      for (let n = 0; n < many; n += 1) await put(`old-${n}`, NOW);
      expect(await store.purge(NOW)).toBe(many);
    }
    const deletes = execute.mock.calls.map(([sql]) => sql).filter((sql) => sql.startsWith('DELETE'));
    expect(deletes).toHaveLength(2);
    expect(new Set(deletes).size).toBe(1);
  });
});
