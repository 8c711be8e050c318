import { readTextFile, UnusableFile } from '../config/index.js';
import { isPublicId } from './api-key.js';
import { parseInstant, faultOfClient, faultOfScopes } from './key-terms.js';
import type { KnownApiKey } from './stored-api-key.js';

/** The keys file cannot be used. The message is one line that names what to change, and holds no value but public ids. */
export class ApiKeysFileError extends Error {
  override readonly name = 'ApiKeysFileError';
}

/** The code of an error of the file system, such as ENOENT. */
export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** The error for a keys file that cannot be read or written, or whose text is wrong. */
export function unusableKeysFile(error: unknown, what: 'read' | 'written'): ApiKeysFileError {
  if (error instanceof ApiKeysFileError) return error;
  return new ApiKeysFileError(`it cannot be ${what} (${codeOf(error) ?? 'unknown fault'})`);
}

const FIELDS = ['id', 'hash', 'client', 'scopes', 'expiresAt'];
const MAX_FAULTS_SHOWN = 5;
const MOST_BYTES = 8 * 1024 * 1024;

/**
 * The text of a keys file.
 *
 * @throws {ApiKeysFileError} where it cannot be read, is no regular file, is larger than 8 MiB or is not UTF-8.
 */
export function readKeysFile(path: string): string {
  try {
    return readTextFile(path, MOST_BYTES);
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error;
    throw new ApiKeysFileError(`it ${error.message}`, { cause: error });
  }
}

/**
 * Reads the text of a keys file: a JSON array of `{ id, hash, client, scopes, expiresAt? }`, where `id` is the key's
 * public id, `hash` the SHA-256 of its text in hexadecimal, `scopes` an array (`["*"]` for everything) and `expiresAt`
 * ISO 8601. All of it is good or none of it is used.
 *
 * @throws {ApiKeysFileError} naming the faults of every entry.
 */
export function readApiKeys(text: string): Map<string, KnownApiKey> {
  const entries = parseArray(text);
  const keys = new Map<string, KnownApiKey>();
  const faults: string[] = [];
  for (const [index, entry] of entries.entries()) {
    const fault = faultOfEntry(entry, keys);
    if (fault === undefined) keys.set((entry as Entry).id, knownApiKey(entry as Entry));
    else faults.push(`entry ${index + 1} ${fault}`);
  }
  if (faults.length === 0) return keys;
  const more = faults.length > MAX_FAULTS_SHOWN ? ` and ${faults.length - MAX_FAULTS_SHOWN} more` : '';
  throw new ApiKeysFileError(`${faults.slice(0, MAX_FAULTS_SHOWN).join('; ')}${more}`);
}

interface Entry {
  readonly id: string;
  readonly hash: string;
  readonly client: string;
  readonly scopes: readonly string[];
  readonly expiresAt?: string;
}

function parseArray(text: string): unknown[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message would quote the file.
    throw new ApiKeysFileError('it is not JSON');
  }
  if (!Array.isArray(value)) throw new ApiKeysFileError('it is not a JSON array');
  return value;
}

function faultOfEntry(entry: unknown, earlier: ReadonlyMap<string, unknown>): string | undefined {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return 'is not an object';
  return faultOfFields(entry as Record<string, unknown>, earlier);
}

function faultOfFields(entry: Record<string, unknown>, earlier: ReadonlyMap<string, unknown>): string | undefined {
  const { id, hash, client, scopes, expiresAt } = entry;
  if (Object.keys(entry).some((field) => !FIELDS.includes(field))) return `has a field other than ${FIELDS.join(', ')}`;
  if (typeof id !== 'string' || !isPublicId(id)) return 'needs an id of 8 letters and digits';
  if (earlier.has(id)) return `has the id ${id} of an earlier entry`;
  if (typeof hash !== 'string' || !/^[0-9a-fA-F]{64}$/.test(hash)) return 'needs a hash of 64 hexadecimal digits';
  if (expiresAt !== undefined && (typeof expiresAt !== 'string' || parseInstant(expiresAt) === undefined)) {
    return 'has an expiresAt that is not ISO 8601';
  }
  return faultOfOwner(client, scopes);
}

function faultOfOwner(client: unknown, scopes: unknown): string | undefined {
  const fault = typeof client === 'string' ? faultOfClient(client) : 'is missing';
  if (fault !== undefined) return `has a client that ${fault}`;
  if (!Array.isArray(scopes) || !scopes.every((scope) => typeof scope === 'string')) return 'needs an array of scopes';
  const scopesFault = faultOfScopes(scopes);
  return scopesFault === undefined ? undefined : `has a list of scopes that ${scopesFault}`;
}

function knownApiKey({ id, hash, client, scopes, expiresAt }: Entry): KnownApiKey {
  return {
    id,
    client,
    hash: Buffer.from(hash, 'hex'),
    scopes: [...scopes],
    expiresAt: expiresAt === undefined ? undefined : parseInstant(expiresAt),
    revokedAt: undefined,
  };
}
