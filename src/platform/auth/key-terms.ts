import { escapeUnseen } from '../logging/index.js';
import { DAY_MS } from '../time.js';

/** The client, the scopes and the expiry of a new key. */
export interface KeyTerms {
  readonly client: string;
  readonly scopes: readonly string[];
  /** Milliseconds since the Unix epoch. Undefined: the key does not expire. */
  readonly expiresAt: number | undefined;
}

/** This scope grants everything. */
export const EVERYTHING = '*';

/** Visible letters and signs. U+3164 (a letter) and U+2800 (a symbol) are excluded, because they show nothing. */
const VISIBLE = String.raw`[[\p{L}\p{M}\p{N}\p{P}\p{S}]--[\p{Default_Ignorable_Code_Point}\u2800]]`;
/** U+FE0F after an emoji asks for its coloured form. */
const EMOJI = String.raw`\p{Extended_Pictographic}\uFE0F`;
const CLIENT = new RegExp(`^(?! )(?:${EMOJI}|${VISIBLE}| )+(?<! )$`, 'v');
const SHOWN = new RegExp(`(${EMOJI}|${VISIBLE}| )|[^]`, 'gv');
const SCOPE = /^[a-z][a-z0-9-]*:[a-z]+$/;
export const MAX_CLIENT_LENGTH = 100;
export const MAX_SCOPES_LENGTH = 1000;

export function isScope(text: string): boolean {
  return SCOPE.test(text);
}

/**
 * Says what is wrong with a client's name. The text completes a sentence that begins with the name of the value.
 * Control and invisible characters are refused, because the name is shown in terminals and logs.
 */
export function faultOfClient(client: string): string | undefined {
  const length = [...client].length;
  if (length === 0 || length > MAX_CLIENT_LENGTH) return `must have 1 to ${MAX_CLIENT_LENGTH} characters`;
  return CLIENT.test(client) ? undefined : 'may have visible characters and spaces between them only';
}

/** Says what is wrong with a list of scopes. The text completes a sentence that begins with the name of the value. */
export function faultOfScopes(scopes: readonly string[]): string | undefined {
  if (scopes.length === 0) return 'must name at least one scope';
  const malformed = scopes.find((scope) => scope !== EVERYTHING && !isScope(scope));
  if (malformed !== undefined) return `has '${printable(malformed)}', which is not a scope such as pets:read`;
  if (scopes.length > 1 && scopes.includes(EVERYTHING)) return `has '${EVERYTHING}', which stands alone`;
  if (new Set(scopes).size < scopes.length) return 'names a scope twice';
  return scopes.join(' ').length > MAX_SCOPES_LENGTH ? `is longer than ${MAX_SCOPES_LENGTH} characters` : undefined;
}

/**
 * Shortens a text from outside for a message. Each invisible character, and each that could move the cursor of a
 * terminal, becomes `?`.
 */
export function printable(text: string, maxLength = 60): string {
  const shown = text.replace(SHOWN, (_any, visible: string | undefined) => visible ?? '?');
  return [...shown].slice(0, maxLength).join('');
}

/**
 * A value as JSON text. Invisible characters are escaped: the value stays the same, and the text cannot move the cursor
 * of a terminal.
 */
export function printableJson(value: unknown): string {
  return escapeUnseen(JSON.stringify(value, undefined, 2));
}

const ISO_8601 = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/;

/**
 * Parses a point in time in ISO 8601: a day (`2030-01-31`, midnight UTC), or a day and time with `Z` or an offset.
 *
 * @returns milliseconds since the Unix epoch; undefined for any other text, also for a day that does not exist.
 */
export function parseInstant(text: string): number | undefined {
  const day = ISO_8601.exec(text)?.[1];
  if (day === undefined) return undefined;
  // Date.parse reads 2030-02-30 as the 2nd of March.
  const midnight = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: DAY_MS } as const;

/** Parses a duration such as `90s`, `30m`, `24h`, `7d` or `0` into milliseconds; undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * UNITS[unit as keyof typeof UNITS];
}
