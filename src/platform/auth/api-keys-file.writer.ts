import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { chmod, chown, lstat, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { generateApiKey, type KeyEnvironment, type NewApiKey } from './api-key.js';
import { FileLock } from './file-lock.js';
import type { KeyAudit } from './key-audit.js';
import type { KeyTerms } from './key-terms.js';
import { ApiKeysFileError, codeOf, readApiKeys, readKeysFile, unusableKeysFile } from './read-api-keys.js';

/** Makes keys for a keys file (API_KEYS_FILE), away from any database. */
export class ApiKeysFileWriter {
  /** @param patienceMs how long to wait for other processes that write the file. */
  constructor(
    private readonly path: string,
    private readonly audit: KeyAudit,
    private readonly environment: KeyEnvironment,
    private readonly patienceMs = 10_000,
  ) {}

  /**
   * Makes a key and adds its entry to the file, which is made where there is none and keeps its owner, group and
   * permissions. A service that reads the file sees the old one or the new one, never a half. Processes that do this at
   * once wait for each other.
   *
   * @throws {ApiKeysFileError} where the file cannot be used as it is, or not be written.
   */
  async create(terms: KeyTerms): Promise<NewApiKey> {
    const key = generateApiKey(this.environment);
    try {
      const file = await behindLinks(this.path);
      const lock = await FileLock.take(`${file}.lock`, this.patienceMs);
      try {
        await add(entryOf(key, terms), file, lock);
      } finally {
        await lock.release();
      }
    } catch (error) {
      throw unusableKeysFile(error, 'written');
    }
    this.audit.record({ event: 'key.created', keyId: key.publicId, ...terms });
    return key;
  }
}

/** The file itself, so that a link to it stays one. */
async function behindLinks(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    // Where another process has made the file since, it is there and no link.
    const isLink = await lstat(path).then(
      (there) => there.isSymbolicLink(),
      () => false,
    );
    if (isLink) throw new ApiKeysFileError('it is a link to a file that is not there');
    return path;
  }
}

async function add(entry: object, file: string, lock: FileLock): Promise<void> {
  const before = await read(file);
  const text = `${JSON.stringify([...before.entries, entry], undefined, 2)}\n`;
  readApiKeys(text);
  const draft = `${file}.${randomUUID()}.new`;
  try {
    await writeFile(draft, text, { mode: 0o600, flag: 'wx', flush: true });
    if (before.stats !== undefined) await makeAlike(draft, before.stats);
    await lock.requireHeld();
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function read(file: string): Promise<{ entries: readonly unknown[]; stats?: Stats }> {
  try {
    const stats = await stat(file);
    const text = readKeysFile(file);
    readApiKeys(text);
    return { entries: JSON.parse(text) as unknown[], stats };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { entries: [] };
    throw unusableKeysFile(error, 'read');
  }
}

/** Gives the draft the owner, group and permissions of the file, so that the service can read it. */
async function makeAlike(draft: string, { uid, gid, mode }: Stats): Promise<void> {
  const own = await stat(draft);
  if (own.uid !== uid || own.gid !== gid) {
    await chown(draft, uid, gid).catch((error: unknown) => {
      if (codeOf(error) !== 'EPERM') throw error;
      throw new ApiKeysFileError(`it belongs to user ${uid} and group ${gid}, and only they or root may write it anew`);
    });
  }
  await chmod(draft, mode & 0o777);
}

function entryOf({ publicId, hash }: NewApiKey, { client, scopes, expiresAt }: KeyTerms): object {
  return {
    id: publicId,
    hash: hash.toString('hex'),
    client,
    scopes,
    ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
  };
}
