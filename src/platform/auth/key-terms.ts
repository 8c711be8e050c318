/** What a key is made for. */
export interface KeyTerms {
  readonly client: string;
  readonly scopes: readonly string[];
  /** Milliseconds since the epoch; undefined for a key without an end. */
  readonly expiresAt: number | undefined;
}

/** The scope of a key that may do everything. */
export const EVERYTHING = '*';

const CLIENT = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]([\p{L}\p{M}\p{N}\p{P}\p{S} ]*[\p{L}\p{M}\p{N}\p{P}\p{S}])?$/u;
const SCOPE = /^[a-z][a-z0-9-]*:[a-z]+$/;
const MAX_CLIENT_LENGTH = 100;
const MAX_SCOPES_LENGTH = 1000;

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

/** Text from outside as a message may show it: short, and no control character that could move a terminal's cursor. */
export function printable(text: string): string {
  return text.replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '?').slice(0, 60);
}
