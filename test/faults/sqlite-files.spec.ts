import {
  copyFileSync,
  mkdirSync,
  openSync,
  closeSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { type Answer, HttpClient } from '../support/http.js';
import { Probes } from '../support/probes.js';
import { Service } from '../support/service.js';

const MOVED = /^SQLITE_READONLY_DBMOVED: \S+ was removed, moved or replaced$/;
const LIMIT_MS = 20_000;

let database: TestDatabase;
let file: string;
let service: Service;
let client: HttpClient;
let probes: Probes;

async function start(): Promise<void> {
  service = await Service.start({ database, env: { RATE_LIMIT_PER_MINUTE: '0', SHED_LOOP_DELAY_MS: '0' } });
  probes = new Probes(service.managementUrl);
}

beforeEach(async () => {
  database = await createSqliteDatabase();
  file = database.url.slice('sqlite:'.length);
  await start();
  client = new HttpClient(service.url, await storeKey(database));
});

afterEach(async () => {
  await probes.stop();
  await service.stop();
  await database.drop();
});

const post = (name = 'Lumi', headers: Record<string, string> = {}): Promise<Answer> =>
  client.post('/v1/pets', { name, categoryId: 1 }, { headers });

async function readiness(): Promise<{ status: number; body: unknown }> {
  const answer = await new HttpClient(service.managementUrl).get('/readyz');
  return { status: answer.status, body: answer.json() };
}

async function expectUnready(reason: RegExp): Promise<void> {
  await probes.until(false, LIMIT_MS);
  expect(await readiness()).toStrictEqual({
    status: 503,
    body: {
      status: 'failing',
      checks: { schema: 'ok', database: 'failing', accepting: 'ok' },
      reasons: { database: expect.stringMatching(reason) },
    },
  });
}

/** The files of the database, without the common beginning of their names. */
const ends = (): string[] => readdirSync(dirname(file)).map((name) => name.slice(basename(file).length));

function moveTo(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const end of ends()) if (end !== '') renameSync(`${file}${end}`, join(folder, `store.sqlite${end}`));
  renameSync(file, join(folder, 'store.sqlite'));
}

describe('the files of an SQLite database', () => {
  it.each<[string, () => void]>([
    ['removed', () => ends().forEach((end) => rmSync(`${file}${end}`))],
    ['removed, the write-ahead log alone,', () => rmSync(`${file}-wal`)],
    [
      'replaced by their like',
      () => {
        copyFileSync(file, `${file}.copy`);
        renameSync(`${file}.copy`, file);
      },
    ],
  ])('%s under the process: writes are 503 and /readyz says why', async (_, harm) => {
    expect((await post()).status).toBe(201);
    await probes.until(true, LIMIT_MS);
    harm();
    for (const headers of [{}, { 'idempotency-key': 'k' }, {}]) {
      const answer = await post('Lost', headers);
      expect(answer).toBeErrorShape(503, 'service_unavailable');
      expect(answer.headers.get('retry-after')).toMatch(/^[1-5]$/);
    }
    await expectUnready(MOVED);
    const line = await service.untilLogged(({ event }) => event === 'db.unavailable');
    expect(line).toMatchObject({ level: 'warn', file, err: { code: 'SQLITE_READONLY_DBMOVED' } });
    expect(service.log.filter(({ level }) => level === 'error')).toEqual([]);
    // Reads are refused too: the open files are no longer those of the store.
    expect(await client.get('/v1/pets')).toBeErrorShape(503, 'service_unavailable');
  });

  it('moved away: the same, until they are back', async () => {
    expect((await post()).status).toBe(201);
    await probes.until(true, LIMIT_MS);
    const away = join(dirname(file), 'away');
    const names = ends();
    moveTo(away);
    await expectUnready(MOVED);
    expect(await post('Lost')).toBeErrorShape(503, 'service_unavailable');
    for (const end of names) renameSync(join(away, `store.sqlite${end}`), `${file}${end}`);
    await probes.until(true, LIMIT_MS);
    expect((await post('Otso')).status).toBe(201);
    expect(await database.query('SELECT name FROM pet')).toEqual([{ name: 'Lumi' }, { name: 'Otso' }]);
  });

  it('moved away under load: nothing that was asked for after that is acknowledged', async () => {
    let isGone = false;
    let acknowledged = 0;
    const late: number[] = [];
    const poster = async (n: number): Promise<void> => {
      for (let turn = 0; late.length < 50; turn++) {
        const askedAfter = isGone;
        const { status } = await post(
          `${String(n)} ${String(turn)}`,
          n % 2 === 0 ? {} : { 'idempotency-key': `${n}-${turn}` },
        );
        if (status === 201) acknowledged += 1;
        if (askedAfter) late.push(status);
      }
    };
    const posting = Promise.all([0, 1, 2, 3, 4, 5].map(poster));
    while (acknowledged < 100) await sleep(1);
    moveTo(join(dirname(file), 'away'));
    isGone = true;
    await posting;
    expect(new Set(late)).toStrictEqual(new Set([503]));
  });
});

describe('pages of an SQLite database that cannot be read', () => {
  const PETS = 5000;

  beforeEach(async () => {
    const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${String(PETS)})`;
    const name = `'Lumi ' || printf('%0100d', i)`;
    await database.query(
      `${numbers.replace('WITH', `INSERT INTO pet (name, category_id, status) WITH`)} SELECT ${name}, 1, 'available' FROM n`,
    );
  });

  it('give 503 to the requests that need them, and /readyz says why', async () => {
    await probes.stop();
    await service.stop();
    const half = Math.ceil(statSync(file).size / 2 / 4096) * 4096;
    const descriptor = openSync(file, 'r+');
    writeSync(descriptor, Buffer.alloc(statSync(file).size - half, 0xff), 0, undefined, half);
    closeSync(descriptor);
    await start();
    client = new HttpClient(service.url, await storeKey(database));
    await probes.until(true, LIMIT_MS);
    expect((await client.get('/v1/pets/1')).status).toBe(200);
    const unread = await client.get(`/v1/pets/${String(PETS - 500)}`);
    expect(unread).toBeErrorShape(503, 'service_unavailable');
    await expectUnready(/^SQLITE_CORRUPT: /);
    expect((await client.get('/v1/pets/1')).status).toBe(200);
    await sleep(5000);
    expect((await readiness()).status).toBe(503);
    const lines = service.log.filter(({ event }) => event === 'db.unavailable');
    expect(lines[0]).toMatchObject({ part: 'read', file, err: { code: 'SQLITE_CORRUPT' } });
  });
});
