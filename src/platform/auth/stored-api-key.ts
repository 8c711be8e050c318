import { DAY_MS } from '../clock.js';
import type { Row } from '../database/index.js';

/** What a presented key is judged by, wherever it is kept. Points in time are milliseconds since the epoch. */
export interface KnownApiKey {
  /** The public id. */
  readonly id: string;
  /** The client that the key was made for. A client may have several. */
  readonly client: string;
  /** SHA-256 of the key's text, 32 bytes. */
  readonly hash: Buffer;
  /** What the key may do; `*` is everything. */
  readonly scopes: readonly string[];
  /** From here on the key is refused as expired. */
  readonly expiresAt: number | undefined;
  /** From here on the key is refused. */
  readonly revokedAt: number | undefined;
}

/** A key as the table has it. */
export interface StoredApiKey extends KnownApiKey {
  readonly createdAt: number;
  /** Days since 1970-01-01 (UTC) of the last day on which the key was accepted. */
  readonly lastUsedDay: number | undefined;
}

export type KeyState = 'live' | 'expired' | 'revoked';

/** @param now milliseconds since the epoch. */
export function stateOf(key: KnownApiKey, now: number): KeyState {
  if (key.revokedAt !== undefined) return 'revoked';
  return key.expiresAt !== undefined && now >= key.expiresAt ? 'expired' : 'live';
}

/** Days since 1970-01-01 (UTC). */
export function dayOf(time: number): number {
  return Math.floor(time / DAY_MS);
}

/** `YYYY-MM-DD` */
export function nameOfDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** Row → key, the one way from the table into the program. */
export function storedApiKey(row: Row): StoredApiKey {
  return {
    id: String(row['id']),
    client: String(row['client']),
    hash: Buffer.from(String(row['hash']), 'hex'),
    scopes: String(row['scopes']).split(' '),
    createdAt: Number(row['created_at']),
    expiresAt: numberOrNone(row['expires_at']),
    revokedAt: numberOrNone(row['revoked_at']),
    lastUsedDay: numberOrNone(row['last_used_day']),
  };
}

function numberOrNone(value: unknown): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}
