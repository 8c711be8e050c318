import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { generateApiKey } from './api-key.js';
import { ApiKeysFile } from './api-keys-file.js';
import type { KeyAudit, KeyEvent } from './key-audit.js';

let folder: string;
let path: string;
let log: { info: jest.Mock; error: jest.Mock };
let events: KeyEvent[];
let audit: KeyAudit;
let file: ApiKeysFile | undefined;

const key = generateApiKey('live');
const entry = { id: key.publicId, hash: key.hash.toString('hex'), client: 'cluster', scopes: ['pets:read'] };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'api-keys-'));
  path = join(folder, 'api-keys.json');
  log = { info: jest.fn(), error: jest.fn() };
  events = [];
  audit = { record: (event) => events.push(event) };
});

afterEach(async () => {
  file?.onApplicationShutdown();
  file = undefined;
  await rm(folder, { recursive: true });
});

async function open(content: unknown): Promise<ApiKeysFile> {
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  file = await ApiKeysFile.open(path, log as never, audit);
  return file;
}

describe('a keys file', () => {
  it('gives its keys by their public ids', async () => {
    const keys = await open([{ ...entry, expiresAt: '2030-01-31T00:00:00Z' }]);
    expect(keys.find(key.publicId)).toEqual({
      ...entry,
      hash: key.hash,
      expiresAt: Date.UTC(2030, 0, 31),
      revokedAt: undefined,
    });
    expect(keys.find('nobody00')).toBeUndefined();
  });

  it('may be empty', async () => {
    expect((await open([])).find(key.publicId)).toBeUndefined();
  });

  it.each([
    ['text', 'no json', 'it is not JSON'],
    ['an object', {}, 'it is not a JSON array'],
    ['an entry that is none', [7], 'entry 1 is not an object'],
    ['a short id', [{ ...entry, id: 'short' }], 'entry 1 needs an id'],
    ['one id twice', [entry, entry], `entry 2 has the id ${entry.id} of an earlier entry`],
    ['a key for a hash', [{ ...entry, hash: key.text }], 'entry 1 needs a hash of 64 hexadecimal digits'],
    ['no client', [{ ...entry, client: undefined }], 'entry 1 has a client that is missing'],
    ['a client with a line break', [{ ...entry, client: 'a\nb' }], 'entry 1 has a client that may have visible'],
    ['scopes as text', [{ ...entry, scopes: '*' }], 'entry 1 needs an array of scopes'],
    ['no scope', [{ ...entry, scopes: [] }], 'entry 1 has a list of scopes that must name at least one scope'],
    ['a malformed scope', [{ ...entry, scopes: ['all'] }], "that has 'all', which is not a scope"],
    ['an end that is no time', [{ ...entry, expiresAt: 'soon' }], 'entry 1 has an expiresAt that is not ISO 8601'],
    ['a misspelt field', [{ ...entry, expires: '2030-01-01' }], 'entry 1 has a field other than'],
  ])('with %s is refused whole', async (_name, content, fault) => {
    await expect(open(content)).rejects.toThrow(fault);
  });

  it('names the faults of all its entries, and quotes no hash', async () => {
    const faulty = [{ ...entry, id: '' }, entry, { ...entry, id: 'other000', scopes: [] }, ...Array(6).fill(7)];
    const error = await open(faulty).catch((thrown: unknown) => thrown as Error);
    expect((error as Error).message).toMatch(/^entry 1 .*; entry 3 .*; entry 4 .* and 3 more$/);
    expect((error as Error).message).not.toContain(entry.hash.slice(0, 8));
  });

  it('that is not there is named by its fault', async () => {
    await expect(ApiKeysFile.open(path, log as never, audit)).rejects.toThrow('it cannot be read (ENOENT)');
  });
});

describe('a keys file that changes', () => {
  it('is read again', async () => {
    const keys = await open([entry]);
    await writeFile(path, JSON.stringify([{ ...entry, client: 'renamed' }]));
    await keys.refresh();
    expect(keys.find(key.publicId)?.client).toBe('renamed');
    await writeFile(path, '[]');
    await keys.refresh();
    expect(keys.find(key.publicId)).toBeUndefined();
    expect(log.info).toHaveBeenCalledTimes(2);
  });

  it('tells the audit of each key that came or went or changed, and of none that was there at the start', async () => {
    const terms = { client: 'cluster', scopes: ['pets:read'], expiresAt: undefined };
    const other = { ...entry, id: 'other000' };
    const keys = await open([entry, other]);
    expect(events).toEqual([]);
    await writeFile(path, JSON.stringify([entry, { ...entry, id: 'newcomer' }]));
    await keys.refresh();
    expect(events).toEqual([
      { event: 'key.revoked', keyId: 'other000', client: 'cluster' },
      { event: 'key.created', keyId: 'newcomer', ...terms },
    ]);
    events = [];
    await writeFile(
      path,
      JSON.stringify([
        { ...entry, scopes: ['*'] },
        { ...entry, id: 'newcomer' },
      ]),
    );
    await keys.refresh();
    expect(events).toEqual([
      { event: 'key.revoked', keyId: entry.id, client: 'cluster' },
      { event: 'key.created', keyId: entry.id, ...terms, scopes: ['*'] },
    ]);
  });

  it('is seen by itself', async () => {
    const keys = await open([entry]);
    const seen = new Promise<void>((resolve) => log.info.mockImplementation(() => resolve()));
    await writeFile(path, '[]');
    await seen;
    expect(keys.find(key.publicId)).toBeUndefined();
  });

  it('is looked for no more once the application ends, also where that comes in the midst of a look', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    try {
      const keys = await open([entry]);
      const look = Promise.withResolvers<undefined>();
      const refresh = jest.spyOn(keys, 'refresh').mockReturnValueOnce(look.promise).mockResolvedValue();
      jest.advanceTimersByTime(1000);
      keys.onApplicationShutdown();
      look.resolve(undefined);
      await jest.advanceTimersByTimeAsync(5000);
      expect(refresh).toHaveBeenCalledTimes(1);
    } finally {
      jest.useRealTimers();
    }
  });

  it('is seen through the links that kubelet swaps', async () => {
    const version = async (name: string, content: unknown): Promise<void> => {
      await mkdir(join(folder, name));
      await writeFile(join(folder, name, 'api-keys.json'), JSON.stringify(content));
      await symlink(name, join(folder, '..data.new'));
      await rename(join(folder, '..data.new'), join(folder, '..data'));
    };
    await version('..1', [entry]);
    await symlink(join('..data', 'api-keys.json'), path);
    file = await ApiKeysFile.open(path, log as never, audit);
    await version('..2', [{ ...entry, client: 'swapped' }]);
    await file.refresh();
    expect(file.find(key.publicId)?.client).toBe('swapped');
  });

  it('changes nothing where the new one is bad, and that is logged once', async () => {
    const keys = await open([entry]);
    await writeFile(path, '[{}]');
    await keys.refresh();
    await keys.refresh();
    expect(keys.find(key.publicId)?.client).toBe('cluster');
    expect(log.error).toHaveBeenCalledTimes(1);
    await rm(path);
    await keys.refresh();
    await keys.refresh();
    expect(keys.find(key.publicId)?.client).toBe('cluster');
    expect(log.error).toHaveBeenCalledTimes(2);
    await writeFile(path, JSON.stringify([{ ...entry, client: 'mended' }]));
    await keys.refresh();
    expect(keys.find(key.publicId)?.client).toBe('mended');
  });

  it('is not read where it becomes a pipe, a device or a folder, and is once it is a file again', async () => {
    const keys = await open([entry]);
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const [target, fault] of [
      [pipe, 'it is no regular file'],
      ['/dev/zero', 'it is no regular file'],
      [folder, 'it is a directory'],
    ] as const) {
      await rm(path);
      await symlink(target, path);
      await keys.refresh();
      expect(log.error).toHaveBeenLastCalledWith(expect.anything(), expect.stringContaining(fault));
    }
    expect(keys.find(key.publicId)).toBeDefined();
    await rm(path);
    await writeFile(path, '\uFEFF[]');
    await keys.refresh();
    expect(keys.find(key.publicId)).toBeUndefined();
  });

  it('is not read again where it stays', async () => {
    const keys = await open([entry]);
    const before = keys.find(key.publicId);
    await keys.refresh();
    expect(keys.find(key.publicId)).toBe(before);
    expect(log.info).not.toHaveBeenCalled();
  });
});
