import { DAY_MS } from '../time.js';

/** SHA-256. */
const HASH_BYTES = 32;
/** Milliseconds: the last moment that a `Date` can be (ECMA-262, 21.4.1.1). */
const LAST_MOMENT = 8.64e15;

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
  /** From this moment the key is refused as expired. */
  readonly expiresAt: number | undefined;
  /** From this moment the key is refused. */
  readonly revokedAt: number | undefined;
}

/** A key as the table has it. */
export interface StoredApiKey extends KnownApiKey {
  readonly createdAt: number;
  /** Days since 1970-01-01 (UTC) of the last day on which the key was accepted. */
  readonly lastUsedDay: number | undefined;
}

/** `damaged`: its row has no hash that a key can match. */
export type KeyState = 'live' | 'expired' | 'revoked' | 'damaged';

/** @param now milliseconds since the epoch. */
export function stateOf(key: KnownApiKey, now: number): KeyState {
  if (key.revokedAt !== undefined) return 'revoked';
  if (key.hash.length !== HASH_BYTES) return 'damaged';
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

/**
 * Row → key, the one way from the table into the program. Whatever others wrote into the row, a key comes of it that can be
 * judged and shown: a point in time beyond what a `Date` can be is the last one that it can be, and what is none is 1970.
 */
export function storedApiKey(row: Readonly<Record<string, unknown>>): StoredApiKey {
  return {
    id: String(row['id']),
    client: String(row['client']),
    hash: Buffer.from(String(row['hash']), 'hex'),
    scopes: String(row['scopes']).split(' '),
    createdAt: within(row['created_at'], LAST_MOMENT),
    expiresAt: isNone(row['expires_at']) ? undefined : within(row['expires_at'], LAST_MOMENT),
    revokedAt: isNone(row['revoked_at']) ? undefined : within(row['revoked_at'], LAST_MOMENT),
    lastUsedDay: isNone(row['last_used_day']) ? undefined : within(row['last_used_day'], dayOf(LAST_MOMENT)),
  };
}

function isNone(value: unknown): boolean {
  return value === null || value === undefined;
}

function within(value: unknown, most: number): number {
  const number = Number(value);
  return Number.isNaN(number) ? 0 : Math.max(-most, Math.min(most, number));
}
