import { stat } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { OnApplicationShutdown } from '@nestjs/common';
import { readTextFile, UnusableFile } from '../config/index.js';
import type { Log } from '../logging/index.js';
import { isPublicId, type KnownApiKey } from './api-key.js';
import type { KeyAudit } from './key-audit.js';
import { faultOfClient, faultOfScopes, parseInstant } from './key-terms.js';

const LOOK_EVERY_MS = 1000;

/**
 * The API keys of a mounted file, API_KEYS_FILE. They are accepted in addition to the keys in the database. If both
 * have the same id, the file decides.
 *
 * The file is polled every second and not watched: kubelet swaps a symbolic link two folders up, and network file
 * systems send no events. If a new file cannot be used, the old keys stay and one error is logged. If the file is
 * missing, no key is revoked. A file with `[]` revokes all its keys. The audit records added and removed keys, as it
 * does for keys of the database.
 */
export class ApiKeysFile implements OnApplicationShutdown {
  private keys: ReadonlyMap<string, KnownApiKey> = new Map();
  /** The result of `look` when the file was last read. */
  private seen = '';
  private lastFault: string | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isOver = false;

  private constructor(
    private readonly path: string,
    private readonly log: Pick<Log, 'info' | 'error'>,
    private readonly audit: KeyAudit,
  ) {}

  /**
   * Reads the file and starts to poll it for changes.
   *
   * @throws {ApiKeysFileError} if the file cannot be used.
   */
  static async open(path: string, log: Pick<Log, 'info' | 'error'>, audit: KeyAudit): Promise<ApiKeysFile> {
    const file = new ApiKeysFile(path, log, audit);
    file.read(await file.look());
    file.lookAgainLater();
    return file;
  }

  find(id: string): KnownApiKey | undefined {
    return this.keys.get(id);
  }

  /** Reads the file if it changed. Never rejects. */
  async refresh(): Promise<void> {
    try {
      const seen = await this.look();
      if (seen === this.seen && this.lastFault === undefined) return;
      const before = this.keys;
      this.read(seen);
      this.lastFault = undefined;
      this.recordChanges(before);
      this.log.info({ event: 'keys_file.loaded', keys: this.keys.size }, 'The API keys file was read again');
    } catch (error) {
      this.report(error);
    }
  }

  onApplicationShutdown(): void {
    this.isOver = true;
    clearTimeout(this.timer);
  }

  /** A text that differs after every change: a write (ctime, size), a replacement or a swapped link (inode, device). */
  private async look(): Promise<string> {
    try {
      const { dev, ino, size, ctimeNs, mtimeNs } = await stat(this.path, { bigint: true });
      return [dev, ino, size, ctimeNs, mtimeNs].join(' ');
    } catch (error) {
      throw unusableKeysFile(error, 'read');
    }
  }

  private read(seen: string): void {
    this.keys = readApiKeys(readKeysFile(this.path));
    this.seen = seen;
  }

  /** A changed entry counts as one key that was revoked and one that was created. */
  private recordChanges(before: ReadonlyMap<string, KnownApiKey>): void {
    const gone = [...before.values()].filter((key) => !isDeepStrictEqual(key, this.keys.get(key.id)));
    const come = [...this.keys.values()].filter((key) => !isDeepStrictEqual(key, before.get(key.id)));
    for (const { id, client } of gone) this.audit.record({ event: 'key.revoked', keyId: id, client });
    for (const { id, client, scopes, expiresAt } of come) {
      this.audit.record({ event: 'key.created', keyId: id, client, scopes, expiresAt });
    }
  }

  private report(error: unknown): void {
    const fault = (error as Error).message;
    if (fault === this.lastFault) return;
    this.lastFault = fault;
    this.log.error({ event: 'keys_file.refused' }, `The API keys file cannot be used, the old keys stay: ${fault}`);
  }

  private lookAgainLater(): void {
    if (this.isOver) return;
    this.timer = setTimeout(() => void this.refresh().finally(() => this.lookAgainLater()), LOOK_EVERY_MS).unref();
  }
}

/**
 * The keys file cannot be used. The message is one line that says what to change. It holds no values except public ids.
 */
export class ApiKeysFileError extends Error {
  override readonly name = 'ApiKeysFileError';
}

/** The code of an error of the file system, such as ENOENT. */
export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** Wraps an error of the file system. An `ApiKeysFileError` is returned unchanged. */
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
 * @throws {ApiKeysFileError} if it cannot be read, is no regular file, is larger than 8 MiB or is not UTF-8.
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
 * Parses the text of a keys file: a JSON array of `{ id, hash, client, scopes, expiresAt? }`. `id` is the public id of
 * the key, `hash` the SHA-256 of its text in hexadecimal, `scopes` an array (`["*"]` for everything) and `expiresAt`
 * ISO 8601. If one entry is wrong, the whole file is refused.
 *
 * @throws {ApiKeysFileError} that names the faults of the first five wrong entries, and counts the others.
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
    // The message of JSON.parse would quote the file.
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
