import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { matchesHash, publicIdOf } from './api-key.js';
import { readApiKeys } from './api-keys-file.js';
import { ApiKeysFileWriter, FileLock } from './api-keys-file.writer.js';
import type { KeyEvent } from './key-audit.js';

const TERMS = { client: 'acme', scopes: ['pets:read'], expiresAt: Date.UTC(2030, 0, 31) };

/** Only root may change the owner of a file, and run as another user for a moment. */
const isRoot = process.getuid?.() === 0;

let folder: string;
let path: string;
let events: KeyEvent[];
let writer: ApiKeysFileWriter;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'animal-store-'));
  path = join(folder, 'keys.json');
  events = [];
  writer = new ApiKeysFileWriter(path, { record: (event) => events.push(event) }, 'live');
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('a key for a file', () => {
  it('has an entry by which it is recognised, and no secret is in the file', async () => {
    const key = await writer.create(TERMS);
    const text = readFileSync(path, 'utf8');
    const entry = readApiKeys(text).get(key.publicId);
    expect(entry).toMatchObject({ id: key.publicId, ...TERMS });
    expect(matchesHash(key.text, entry?.hash ?? Buffer.alloc(32))).toBe(true);
    expect(publicIdOf(key.text)).toBe(key.publicId);
    expect(text).not.toContain(key.text.split('_')[3]?.slice(0, 8));
    expect(events).toEqual([{ event: 'key.created', keyId: key.publicId, ...TERMS }]);
  });

  it('joins those that are there, under the permissions of the file', async () => {
    const first = await writer.create({ ...TERMS, expiresAt: undefined });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    chmodSync(path, 0o640);
    const second = await writer.create(TERMS);
    expect([...readApiKeys(readFileSync(path, 'utf8')).keys()]).toEqual([first.publicId, second.publicId]);
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(readdirSync(folder)).toEqual(['keys.json']);
  });

  it.each([1234, process.getgid?.() ?? 0])('leaves the file to its owner and to its group %d', async (group) => {
    writeFileSync(path, '[]');
    if (isRoot) chownSync(path, 1233, group);
    const { uid, gid } = statSync(path);
    await writer.create(TERMS);
    expect(statSync(path)).toMatchObject({ uid, gid });
  });

  (isRoot ? it : it.skip)("is not made where the file would become somebody else's", async () => {
    writeFileSync(path, '[]');
    chmodSync(path, 0o644);
    chmodSync(folder, 0o777);
    process.seteuid?.(65_534);
    try {
      await expect(writer.create(TERMS)).rejects.toThrow('it belongs to user 0 and group 0, and only');
    } finally {
      process.seteuid?.(0);
    }
    expect(readFileSync(path, 'utf8')).toBe('[]');
    expect(readdirSync(folder)).toEqual(['keys.json']);
  });

  it('goes through a link to the file, and leaves the link', async () => {
    mkdirSync(join(folder, 'target'));
    symlinkSync(join('target', 'keys.json'), path);
    await expect(writer.create(TERMS)).rejects.toThrow('it is a link to a file that is not there');
    writeFileSync(join(folder, 'target', 'keys.json'), '[]');
    const key = await writer.create(TERMS);
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect([...readApiKeys(readFileSync(path, 'utf8')).keys()]).toEqual([key.publicId]);
    expect(readdirSync(folder, { recursive: true }).sort()).toEqual(['keys.json', 'target', 'target/keys.json']);
  });

  it.each([
    ['is not JSON', 'x', 'it is not JSON'],
    ['has a fault', '[{"id":"short"}]', 'entry 1 needs an id'],
  ])('leaves a file that %s as it is', async (_, text, fault) => {
    writeFileSync(path, text);
    await expect(writer.create(TERMS)).rejects.toThrow(fault);
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(events).toEqual([]);
  });

  it('never waits for what is no file', async () => {
    execFileSync('mkfifo', [path]);
    await expect(writer.create(TERMS)).rejects.toThrow('it is no regular file');
    expect(readdirSync(folder)).toEqual(['keys.json']);
  });

  it('is not made where the file cannot be written', async () => {
    const nowhere = new ApiKeysFileWriter(join(folder, 'none', 'keys.json'), { record: () => {} }, 'live');
    await expect(nowhere.create(TERMS)).rejects.toThrow('it cannot be written (ENOENT)');
  });
});

describe('the lock of a keys file', () => {
  let lock: string;

  beforeEach(() => {
    lock = `${path}.lock`;
  });

  it('makes others wait, and those whose patience ends say its name', async () => {
    writeFileSync(lock, '');
    const hasty = new ApiKeysFileWriter(path, { record: () => {} }, 'live', 0);
    await expect(hasty.create(TERMS)).rejects.toThrow(`another process holds its lock file ${lock}`);
    expect(readdirSync(folder)).toEqual(['keys.json.lock']);
    const waiting = writer.create(TERMS);
    rmSync(lock);
    await waiting;
    expect(readdirSync(folder)).toEqual(['keys.json']);
  });

  it('is taken over from a dead process, and no key is lost to those who try it at once', async () => {
    writeFileSync(lock, '');
    utimesSync(lock, new Date(Date.now() - 31_000), new Date(Date.now() - 31_000));
    const made = await Promise.all(Array.from({ length: 8 }, () => writer.create(TERMS)));
    const ids = made.map(({ publicId }) => publicId);
    expect([...readApiKeys(readFileSync(path, 'utf8')).keys()].sort()).toEqual(ids.sort());
    expect(readdirSync(folder)).toEqual(['keys.json']);
  });

  it('that was taken over from a process which was only stopped for long keeps that one from writing', async () => {
    writeFileSync(path, '[]');
    const take = FileLock.take.bind(FileLock);
    const taking = jest.spyOn(FileLock, 'take').mockImplementation(async (...args) => {
      const taken = await take(...args);
      writeFileSync(`${lock}.new`, '');
      renameSync(`${lock}.new`, lock);
      return taken;
    });
    await expect(writer.create(TERMS)).rejects.toThrow(`another process took over its lock file ${lock}`);
    taking.mockRestore();
    expect(readFileSync(path, 'utf8')).toBe('[]');
    expect(events).toEqual([]);
    expect(readdirSync(folder)).toEqual(['keys.json', 'keys.json.lock']);
  });
});
