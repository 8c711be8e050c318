import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { matchesHash, parseApiKey } from './api-key.js';
import { ApiKeysFileWriter } from './api-keys-file.writer.js';
import type { KeyEvent } from './key-audit.js';
import { readApiKeys } from './read-api-keys.js';

const TERMS = { client: 'acme', scopes: ['pets:read'], expiresAt: Date.UTC(2030, 0, 31) };

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
    expect(parseApiKey(key.text)?.publicId).toBe(key.publicId);
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

  it.each([
    ['is not JSON', 'x', 'it is not JSON'],
    ['has a fault', '[{"id":"short"}]', 'entry 1 needs an id'],
  ])('leaves a file that %s as it is', async (_, text, fault) => {
    writeFileSync(path, text);
    await expect(writer.create(TERMS)).rejects.toThrow(fault);
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(events).toEqual([]);
  });

  it('is not made where the file cannot be written', async () => {
    const nowhere = new ApiKeysFileWriter(join(folder, 'none', 'keys.json'), { record: () => {} }, 'live');
    await expect(nowhere.create(TERMS)).rejects.toThrow('it cannot be written (ENOENT)');
  });
});
