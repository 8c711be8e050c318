import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { publicIdOf } from '../support/api-keys.js';
import { runCommand } from '../support/command.js';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { HttpClient } from '../support/http.js';
import { freePort } from '../support/ports.js';
import { removeScratch, scratchFolder } from '../support/scratch.js';
import { Service } from '../support/service.js';

describe('a mounted file of keys', () => {
  const folder = scratchFolder('keys-file');
  /** As kubelet mounts a secret: the file is a link, through a link that is swapped. */
  const mounted = join(folder, 'keys.json');
  let database: TestDatabase;
  let service: Service;
  let reader: string;
  let master: string;

  beforeAll(async () => {
    database = await createSqliteDatabase();
    mkdirSync(join(folder, 'v1'));
    symlinkSync('v1', join(folder, '..data'));
    symlinkSync(join('..data', 'keys.json'), mounted);
    reader = await create('v1', '--scopes', 'pets:read');
    master = await create('v1');
    const port = String(await freePort());
    // What becomes of keys and of their file is told at any level. That the service is ready is not.
    const env = { PORT: port, API_KEYS_FILE: mounted, AUTH_FAILURES_PER_MINUTE: '0', LOG_LEVEL: 'error' };
    service = Service.launch({ database, env });
    service.url = `http://127.0.0.1:${port}`;
    expect(await until(200, master)).toBe(true);
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
    removeScratch(folder);
  });

  async function create(version: string, ...args: string[]): Promise<string> {
    const file = join(folder, version, 'keys.json');
    const made = await runCommand(database, ['keys', 'create', '--name', 'file', '--file', file, ...args]);
    expect(made.code).toBe(0);
    return made.stdout.trim();
  }

  /** Puts another version in the place of the mounted one, in one step. */
  function swap(version: string): void {
    symlinkSync(version, join(folder, '..new'));
    renameSync(join(folder, '..new'), join(folder, '..data'));
  }

  const ask = async (key: string): Promise<number> => (await new HttpClient(service.url, key).get('/v1/pets')).status;

  async function until(status: number, key: string): Promise<boolean> {
    for (let tries = 0; tries < 100; tries++, await sleep(100))
      if ((await ask(key).catch(() => 0)) === status) return true;
    return false;
  }

  it('lets its keys in, each within its scopes, with none in the database', async () => {
    expect(await database.query('SELECT id FROM api_key')).toEqual([]);
    const pet = { name: 'Otso', categoryId: 1 };
    expect(await ask(reader)).toBe(200);
    expect(await new HttpClient(service.url, reader).post('/v1/pets', pet)).toBeErrorShape(403, 'insufficient_scope');
    expect((await new HttpClient(service.url, master).post('/v1/pets', pet)).status).toBe(201);
    expect(await ask(`${master.slice(0, -1)}-`)).toBe(401);
  });

  it('is read again when it changes: a new key comes in, one that is gone is refused', async () => {
    mkdirSync(join(folder, 'v2'));
    const newcomer = await create('v2');
    swap('v2');
    expect(await until(200, newcomer)).toBe(true);
    expect(await ask(reader)).toBe(401);
    expect(await ask(master)).toBe(401);
    const gone = master;
    master = newcomer;
    await service.untilLogged((line) => line['event'] === 'key.created');
    const trail = service.log.filter(({ event }) => event === 'key.created' || event === 'key.revoked');
    expect(trail.map(({ event, key_id: id, client }) => [event, id, client])).toEqual([
      ['key.revoked', publicIdOf(reader), 'file'],
      ['key.revoked', publicIdOf(gone), 'file'],
      ['key.created', publicIdOf(newcomer), 'file'],
    ]);
  });

  it('that cannot be used changes nothing and is told once, without a word of it', async () => {
    mkdirSync(join(folder, 'v3'));
    writeFileSync(join(folder, 'v3', 'keys.json'), '[{"id":"canary"');
    swap('v3');
    await service.untilLogged((line) => line['event'] === 'keys_file.refused');
    await sleep(2500);
    expect(service.log.filter((line) => line['event'] === 'keys_file.refused')).toHaveLength(1);
    expect(service.output).not.toContain('canary');
    expect(await ask(master)).toBe(200);
    rmSync(mounted);
    await sleep(1500);
    expect(await ask(master)).toBe(200);
  });

  it('that is of no use at the start stops the start, with 78 and its name', async () => {
    const file = join(folder, 'v3', 'keys.json');
    const failed = Service.launch({ database, env: { API_KEYS_FILE: file } });
    expect(await failed.exited).toEqual({ code: 78, signal: null });
    expect(failed.output).toContain('API_KEYS_FILE');
    expect(failed.output).not.toContain('canary');
  });
});
