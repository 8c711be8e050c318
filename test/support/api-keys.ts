import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { TestDatabase } from './database.js';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export interface StoredKeyOptions {
  readonly client?: string;
  readonly scopes?: readonly string[];
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number;
}

/** A well-formed key with a correct checksum that no service knows. */
export function inventKey(publicId = base62(8)): string {
  const secret = base62(32);
  return `as_test_${publicId}_${secret}${checksum(secret)}`;
}

/** Stores a key in the form in which `keys create` stores it. The command would take a second for each key. */
export async function storeKey(database: TestDatabase, options: StoredKeyOptions = {}): Promise<string> {
  const { client = 'test', scopes = ['*'], expiresAt = null } = options;
  const key = inventKey();
  const hash = createHash('sha256').update(key).digest('hex');
  await database.query(
    'INSERT INTO api_key (id, client, hash, scopes, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)',
    [publicIdOf(key), client, hash, scopes.join(' '), Date.now(), expiresAt],
  );
  return key;
}

export function publicIdOf(key: string): string {
  return key.split('_')[2] ?? '';
}

export function base62(length: number): string {
  return Array.from(randomBytes(length), (byte) => BASE62[byte % 62]).join('');
}

/** CRC-32 of the secret in base62, six digits. */
function checksum(secret: string): string {
  let rest = crc32(secret);
  let digits = '';
  for (let place = 0; place < 6; place += 1) {
    digits = `${BASE62[rest % 62] ?? ''}${digits}`;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
