import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CommanderError } from 'commander';
import { QueryFailedError } from 'typeorm';
import type { PlatformDataSource } from '../platform/database/index.js';
import {
  ApiKeyEntity,
  ApiKeysFileWriter,
  ApiKeyStore,
  CreateApiKeys1764201500000,
  publicIdOf,
} from '../platform/auth/index.js';
import { loadConfig } from '../platform/config/index.js';
import { createDataSource } from '../platform/database/index.js';
import { throwOnExit } from './command-output.js';
import { keysCommand, type WithKeys, type WithKeysFile } from './keys.command.js';

const clock = { now: () => Date.UTC(2026, 0, 15) };

let dataSource: PlatformDataSource;
let store: ApiKeyStore;
let withKeys: WithKeys;
let cacheTtlMs: number;
let stdout: string;
let stderr: string;

beforeEach(async () => {
  const config = loadConfig({ NODE_ENV: 'test', DATABASE_URL: 'sqlite::memory:' });
  const tables = { entities: [ApiKeyEntity], migrations: [CreateApiKeys1764201500000] };
  dataSource = await createDataSource(config, [tables]);
  await dataSource.initialize();
  await dataSource.runMigrations();
  store = new ApiKeyStore(dataSource, clock, { record: () => {} }, 'test');
  cacheTtlMs = 5000;
  withKeys = (work) => work(store, clock, cacheTtlMs);
  stdout = '';
  stderr = '';
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((stdout += String(text))));
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((stderr += String(text))));
});

afterEach(async () => {
  jest.restoreAllMocks();
  await dataSource.destroy();
});

/** Returns the exit code. */
async function run(...words: string[]): Promise<number> {
  stdout = '';
  stderr = '';
  try {
    const command = keysCommand(withKeys, withKeysFile, ['pets:read', 'pets:write']);
    await throwOnExit(command).parseAsync(words, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    throw error;
  }
}

async function createdId(...words: string[]): Promise<string> {
  expect(await run('create', '--name', 'acme', ...words)).toBe(0);
  return publicIdOf(stdout.trim()) ?? '';
}

const withKeysFile: WithKeysFile = (path, work) =>
  work(new ApiKeysFileWriter(path, { record: () => {} }, 'test'), clock);

describe('keys create --file', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'animal-store-'));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('prints the key alone on stdout, puts its hash into the file and nothing into the database', async () => {
    const path = join(folder, 'keys.json');
    expect(await run('create', '--name', 'acme', '--scopes', 'pets:read', '--file', path)).toBe(0);
    const id = publicIdOf(stdout.trim());
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual([
      { id, hash: expect.stringMatching(/^[0-9a-f]{64}$/), client: 'acme', scopes: ['pets:read'] },
    ]);
    expect(await store.list()).toEqual([]);
  });

  it('says in a sentence what is wrong with the file', async () => {
    const path = join(folder, 'none', 'keys.json');
    expect(await run('create', '--name', 'acme', '--file', path)).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toBe(`error: No key was put into ${path}: it cannot be written (ENOENT).\n`);
  });
});

describe('keys create', () => {
  it('prints the key alone on stdout', async () => {
    expect(await run('create', '--name', 'acme')).toBe(0);
    expect(stdout).toMatch(/^as_test_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}\n$/);
    expect(stderr).not.toContain(stdout.trim());
    expect(await store.list()).toMatchObject([{ client: 'acme', scopes: ['*'], expiresAt: undefined }]);
  });

  it('says one sentence on a terminal, and leaves it to the log elsewhere', async () => {
    await createdId();
    expect(stderr).toBe('');
    Object.defineProperty(process.stderr, 'isTTY', { value: true, configurable: true });
    const id = await createdId();
    Reflect.deleteProperty(process.stderr, 'isTTY');
    expect(stderr).toBe(`Key ${id} of acme. It is shown this once: only its hash is kept.\n`);
  });

  it('takes scopes and an end', async () => {
    await createdId('--scopes', 'pets:read, pets:write', '--expires-at', '2030-01-31');
    expect(await store.list()).toMatchObject([
      { scopes: ['pets:read', 'pets:write'], expiresAt: Date.UTC(2030, 0, 31) },
    ]);
  });

  it.each([
    ['no name', [], '--name'],
    ['an empty name', ['--name', ''], '1 to 100 characters'],
    ['an undeclared scope', ['--name', 'a', '--scopes', 'pets:read,orders:read'], 'No feature declares orders:read.'],
    ['a malformed scope', ['--name', 'a', '--scopes', 'everything'], "'everything'"],
    ['an empty scope', ['--name', 'a', '--scopes', 'pets:read,'], 'not a scope'],
    ['an end that is no time', ['--name', 'a', '--expires-at', 'soon'], 'ISO 8601'],
    ['an end in the past', ['--name', 'a', '--expires-at', '2026-01-15'], 'in the past'],
    ['an unknown option', ['--name', 'a', '--admin'], '--admin'],
    ['a stray word', ['--name', 'a', 'b'], 'too many arguments'],
  ])('refuses %s with 2 and makes nothing', async (_name, words, sentence) => {
    expect(await run('create', ...words)).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain(sentence);
    expect(await store.list()).toEqual([]);
  });
});

describe('keys list', () => {
  it('shows a line a key, and no secret', async () => {
    const id = await createdId('--scopes', 'pets:read', '--expires-at', '2030-01-31');
    await store.markUsed([id], 20_468);
    await store.revoke(await createdId());
    const hashes = (await store.list()).map(({ hash }) => hash.toString('hex'));
    expect(await run('list')).toBe(0);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/));
    expect(lines[0]).toEqual(['ID', 'STATE', 'AGE', 'LAST USED', 'EXPIRES', 'SCOPES', 'CLIENT']);
    expect(lines.slice(1)).toContainEqual([id, 'live', '0d', '2026-01-15', '2030-01-31T00:00Z', 'pets:read', 'acme']);
    expect(lines.slice(1)).toContainEqual([expect.anything(), 'revoked', '0d', 'never', 'never', '*', 'acme']);
    for (const hash of hashes) expect(stdout).not.toContain(hash.slice(0, 8));
  });

  it('is JSON for scripts', async () => {
    const id = await createdId();
    expect(await run('list', '--json')).toBe(0);
    expect(JSON.parse(stdout)).toEqual([
      {
        id,
        client: 'acme',
        scopes: ['*'],
        createdAt: '2026-01-15T00:00:00.000Z',
        ageDays: 0,
        expiresAt: null,
        revokedAt: null,
        lastUsedDay: null,
        state: 'live',
      },
    ]);
  });

  it('is an empty array where there is none', async () => {
    expect(await run('list', '--json')).toBe(0);
    expect(JSON.parse(stdout)).toEqual([]);
  });
});

describe('keys revoke', () => {
  it('revokes by the public id, and again without harm', async () => {
    const id = await createdId();
    expect(await run('revoke', id)).toBe(0);
    expect(await run('revoke', id)).toBe(0);
    expect(stderr).toContain('was revoked before');
    expect(await store.list()).toMatchObject([{ id, revokedAt: clock.now() }]);
  });

  it.each([
    [0, 'at once'],
    [1500, 'within 1.5 s'],
    [60_000, 'within 60 s'],
  ])('says how late it holds where the configuration says %d ms', async (configured, when) => {
    cacheTtlMs = configured;
    const id = await createdId();
    expect(await run('revoke', id)).toBe(0);
    expect(stderr).toBe(`Key ${id} is revoked. Every replica refuses it ${when}.\n`);
  });

  it('revokes by a whole key', async () => {
    await createdId();
    expect(await run('revoke', stdout.trim())).toBe(0);
    expect(await store.list()).toMatchObject([{ revokedAt: clock.now() }]);
  });

  it('says in a sentence that there is no such key, with 1', async () => {
    expect(await run('revoke', 'nobody00')).toBe(1);
    expect(stderr).toBe('error: There is no key with the id nobody00.\n');
  });

  it.each([[['revoke', 'zzz']], [['roll', 'zzz', '--overlap', '0']]])(
    'says in a sentence of its own, by %j, what an id is',
    async (words) => {
      expect(await run(...words)).toBe(2);
      expect(stderr).toBe('error: A public id has 8 letters and digits; see keys list.\n');
    },
  );

  it.each([[['revoke']], [['revoke', 'short']], [['revoke', 'nobody00', 'x']], [['destroy']], [[]]])(
    'is asked wrongly by %j, with 2',
    async (words) => {
      expect(await run(...words)).toBe(2);
      expect(stdout).toBe('');
    },
  );
});

describe('keys roll', () => {
  it('prints the new key alone, and lets the old one work for the overlap', async () => {
    const old = await createdId('--scopes', 'pets:read');
    expect(await run('roll', old, '--overlap', '24h', '--expires-at', '2027-01-01')).toBe(0);
    const id = publicIdOf(stdout.trimEnd());
    const keys = new Map((await store.list()).map((key) => [key.id, key]));
    expect(keys.get(old)?.expiresAt).toBe(clock.now() + 86_400_000);
    expect(keys.get(id!)).toMatchObject({ client: 'acme', scopes: ['pets:read'], expiresAt: Date.UTC(2027, 0, 1) });
  });

  it('cannot roll a revoked key: 1', async () => {
    const id = await createdId();
    await store.revoke(id);
    expect(await run('roll', id, '--overlap', '0')).toBe(1);
    expect(stderr).toBe(`error: Key ${id} is revoked and cannot be rolled.\n`);
  });

  it.each(['', '24', '400d', '-1h'])('refuses the overlap %j with 2', async (overlap) => {
    expect(await run('roll', await createdId(), `--overlap=${overlap}`)).toBe(2);
    expect(stderr).toContain('s, m, h or d');
  });
});

describe('a failure', () => {
  it('of the database is a sentence and 1', async () => {
    const refused = Object.assign(new Error("Table 'a secret' is not there"), { code: 'ER_NO_SUCH_TABLE' });
    withKeys = () => Promise.reject(new QueryFailedError('SELECT', [], refused));
    expect(await run('list')).toBe(1);
    expect(stderr).toBe('error: The database refused a statement (ER_NO_SUCH_TABLE)\n');
  });

  it('that nobody expects is left to the caller', async () => {
    withKeys = () => Promise.reject(new Error('a fault'));
    await expect(run('list')).rejects.toThrow('a fault');
  });
});
