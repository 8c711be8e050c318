import { randomInt, randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { chmod, chown, lstat, open, realpath, rename, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateApiKey, type KeyEnvironment, type NewApiKey } from './api-key.js';
import type { KeyAudit } from './key-audit.js';
import type { KeyTerms } from './key-terms.js';
import { ApiKeysFileError, codeOf, readApiKeys, readKeysFile, unusableKeysFile } from './api-keys-file.js';

/** Creates keys in a keys file (API_KEYS_FILE), without a database. */
export class ApiKeysFileWriter {
  /** @param patienceMs how long to wait for other processes that write the file. Milliseconds. */
  constructor(
    private readonly path: string,
    private readonly audit: KeyAudit,
    private readonly environment: KeyEnvironment,
    private readonly patienceMs = 10_000,
  ) {}

  /**
   * Creates a key and adds its entry to the file. The file is created if it does not exist. An existing file keeps its
   * owner, group and permissions. The file is replaced in one step, so a service never reads half of it. Processes that
   * write it at the same time wait for each other.
   *
   * @throws {ApiKeysFileError} if the file cannot be used as it is, or cannot be written.
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

/** Resolves symbolic links: the target is replaced, and the link stays a link. */
async function behindLinks(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    // If another process has created the file in the meantime, `lstat` finds it, and it is no link.
    const there = await statIfAny(path);
    if (there?.isSymbolicLink() !== true) return path;
    throw new ApiKeysFileError('it is a link to a file that is not there');
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
  // Some file systems refuse every change of the owner, also one that changes nothing.
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
    expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt).toISOString(),
  };
}

/** Milliseconds. A process holds the lock for milliseconds, so a lock of this age was left by a process that died. */
const LEFT_AFTER_MS = 30_000;

/**
 * A lock file that only one process at a time can create. It is identified by its inode, which no other file gets while
 * it is open.
 */
export class FileLock {
  private constructor(
    private readonly path: string,
    private readonly handle: FileHandle,
  ) {}

  /** @throws {ApiKeysFileError} if other processes hold it for longer than `patienceMs` milliseconds. */
  static async take(path: string, patienceMs: number): Promise<FileLock> {
    const end = performance.now() + patienceMs;
    for (;;) {
      const lock = await FileLock.tryTake(path);
      if (lock !== undefined) return lock;
      if (performance.now() >= end) {
        throw new ApiKeysFileError(
          `another process holds its lock file ${path}; an abandoned lock file is ignored after ${LEFT_AFTER_MS / 1000} s`,
        );
      }
      await sleep(randomInt(5, 50));
    }
  }

  private static async tryTake(path: string): Promise<FileLock | undefined> {
    const handle = (await makeFile(path)) ?? (await takeOver(path));
    if (handle === undefined) return undefined;
    const lock = new FileLock(path, handle);
    if (await lock.isHeld()) return lock;
    await handle.close();
    return undefined;
  }

  /** Call this right before the protected write: a process that was paused for long may have lost the lock. */
  async requireHeld(): Promise<void> {
    if (await this.isHeld()) return;
    throw new ApiKeysFileError(`another process took over its lock file ${this.path} in the meantime; try again`);
  }

  /** Never throws: the work is done, and another process takes over a lock that stays. */
  async release(): Promise<void> {
    try {
      if (await this.isHeld()) await rm(this.path, { force: true });
      await this.handle.close();
    } catch {
      // See the docstring.
    }
  }

  private async isHeld(): Promise<boolean> {
    const own = await this.handle.stat();
    const there = await statIfAny(this.path);
    return own.ino === there?.ino && own.dev === there.dev;
  }
}

async function makeFile(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return undefined;
    throw error;
  }
}

/** Replaces a lock that was left, in one step. If several processes do so, the last one holds the lock. */
async function takeOver(path: string): Promise<FileHandle | undefined> {
  const left = await statIfAny(path);
  if (left === undefined || Date.now() - left.mtimeMs < LEFT_AFTER_MS) return undefined;
  const own = `${path}.${randomUUID()}`;
  const handle = await open(own, 'wx', 0o600);
  try {
    await rename(own, path);
    return handle;
  } catch (error) {
    await handle.close();
    await rm(own, { force: true });
    throw error;
  }
}

/** The stats of the file, or of the link itself; undefined if it does not exist. */
async function statIfAny(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
