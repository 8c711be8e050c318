import {
  dayOf,
  MAX_CLIENT_LENGTH,
  MAX_SCOPES_LENGTH,
  nameOfDay,
  printable,
  stateOf,
  type StoredApiKey,
} from '../platform/auth/index.js';

/** A key as `keys list` shows it, without secrets. Times are ISO 8601, UTC. */
export type ListedKey = ReturnType<typeof describeKey>;

/** @param now milliseconds since the Unix epoch. */
export function describeKeys(keys: readonly StoredApiKey[], now: number): ListedKey[] {
  return keys.map((key) => describeKey(key, now));
}

function describeKey(key: StoredApiKey, now: number) {
  const { id, client, scopes, createdAt, expiresAt, revokedAt, lastUsedDay } = key;
  return {
    id,
    client,
    scopes,
    createdAt: isoTime(createdAt),
    /** Whole days since the creation. */
    ageDays: Math.max(0, dayOf(now - createdAt)),
    expiresAt: expiresAt === undefined ? null : isoTime(expiresAt),
    revokedAt: revokedAt === undefined ? null : isoTime(revokedAt),
    /** `YYYY-MM-DD`; null for a key that was never used. */
    lastUsedDay: lastUsedDay === undefined ? null : nameOfDay(lastUsedDay),
    state: stateOf(key, now),
  };
}

function isoTime(time: number): string {
  return new Date(time).toISOString();
}

const HEADINGS = ['ID', 'STATE', 'AGE', 'LAST USED', 'EXPIRES', 'SCOPES', 'CLIENT'];

/**
 * A line of headings, then one line per key. The client is the last column, because its characters may have any width.
 */
export function tabulateKeys(keys: readonly ListedKey[]): string {
  const lines = [HEADINGS, ...keys.map(cellsOf)];
  const widths = HEADINGS.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  return lines
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cellsOf(key: ListedKey): string[] {
  return [
    printable(key.id),
    key.state,
    `${key.ageDays}d`,
    key.lastUsedDay ?? 'never',
    key.expiresAt === null ? 'never' : `${key.expiresAt.slice(0, 16)}Z`,
    printable(key.scopes.join(','), MAX_SCOPES_LENGTH),
    printable(key.client, MAX_CLIENT_LENGTH),
  ];
}
