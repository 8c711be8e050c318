import {
  dayOf,
  MAX_CLIENT_LENGTH,
  MAX_SCOPES_LENGTH,
  nameOfDay,
  printable,
  stateOf,
  type KeyState,
  type StoredApiKey,
} from '../platform/auth/index.js';

/** A key as `keys list` shows it: what an operator needs to know of it, and no secret. Times are ISO 8601, UTC. */
export interface ListedKey {
  readonly id: string;
  readonly client: string;
  readonly scopes: readonly string[];
  readonly createdAt: string;
  /** Whole days since it was made. */
  readonly ageDays: number;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  /** `YYYY-MM-DD`; null for a key that was never used. */
  readonly lastUsedDay: string | null;
  readonly state: KeyState;
}

/** @param now milliseconds since the epoch. */
export function describeKeys(keys: readonly StoredApiKey[], now: number): ListedKey[] {
  return keys.map((key) => ({
    id: key.id,
    client: key.client,
    scopes: key.scopes,
    createdAt: new Date(key.createdAt).toISOString(),
    ageDays: Math.max(0, dayOf(now - key.createdAt)),
    expiresAt: key.expiresAt === undefined ? null : new Date(key.expiresAt).toISOString(),
    revokedAt: key.revokedAt === undefined ? null : new Date(key.revokedAt).toISOString(),
    lastUsedDay: key.lastUsedDay === undefined ? null : nameOfDay(key.lastUsedDay),
    state: stateOf(key, now),
  }));
}

const HEADINGS = ['ID', 'STATE', 'AGE', 'LAST USED', 'EXPIRES', 'SCOPES', 'CLIENT'];

/** One line a key below a line of headings; the client comes last, since its letters may be of any width. */
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
