/** What a key is made for. */
export interface KeyTerms {
  readonly client: string;
  readonly scopes: readonly string[];
  /** Milliseconds since the epoch; undefined for a key without an end. */
  readonly expiresAt: number | undefined;
}

/** The scope of a key that may do everything. */
export const EVERYTHING = '*';

/** Letters and signs that are seen: not U+3164 or U+2800, which are a letter and a sign of nothing. */
const VISIBLE = String.raw`[[\p{L}\p{M}\p{N}\p{P}\p{S}]--[\p{Default_Ignorable_Code_Point}\u2800]]`;
/** An emoji may be followed by what asks for its colours. */
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
 * What is wrong with a client's name, as the end of a sentence that begins with the name of the value. Control and
 * invisible characters are out: the name is shown in terminals and logs.
 */
export function faultOfClient(client: string): string | undefined {
  const length = [...client].length;
  if (length === 0 || length > MAX_CLIENT_LENGTH) return `must have 1 to ${MAX_CLIENT_LENGTH} characters`;
  return CLIENT.test(client) ? undefined : 'may have visible characters and spaces between them only';
}

/** What is wrong with a list of scopes, as the end of a sentence that begins with the name of the value. */
export function faultOfScopes(scopes: readonly string[]): string | undefined {
  if (scopes.length === 0) return 'must name at least one scope';
  const malformed = scopes.find((scope) => scope !== EVERYTHING && !isScope(scope));
  if (malformed !== undefined) return `has '${printable(malformed)}', which is not a scope such as pets:read`;
  if (scopes.length > 1 && scopes.includes(EVERYTHING)) return `has '${EVERYTHING}', which stands alone`;
  if (new Set(scopes).size < scopes.length) return 'names a scope twice';
  return scopes.join(' ').length > MAX_SCOPES_LENGTH ? `is longer than ${MAX_SCOPES_LENGTH} characters` : undefined;
}

/** Text from outside as a message may show it: short, and with `?` for what is not seen or could move a terminal's cursor. */
export function printable(text: string, maxLength = 60): string {
  const shown = text.replace(SHOWN, (_any, visible: string | undefined) => visible ?? '?');
  return [...shown].slice(0, maxLength).join('');
}

/** A value as JSON text that shows nothing but `printable` characters; the others are escaped, so it means the same. */
export function printableJson(value: unknown): string {
  const escaped = (hidden: string): string =>
    hidden.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const text = JSON.stringify(value, undefined, 2);
  return text.replace(
    SHOWN,
    (any: string, visible: string | undefined) => visible ?? (any === '\n' ? any : escaped(any)),
  );
}
