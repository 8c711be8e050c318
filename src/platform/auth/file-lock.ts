import { randomInt, randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { lstat, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiKeysFileError, codeOf } from './read-api-keys.js';

/** A lock is held for milliseconds: one of this age was left by a process that died. */
const LEFT_AFTER_MS = 30_000;

/** A file that one process at a time can make. It is known by its inode, which no other gets while it is open. */
export class FileLock {
  private constructor(
    private readonly path: string,
    private readonly handle: FileHandle,
  ) {}

  /** @throws {ApiKeysFileError} where others hold it for longer than `patienceMs`. */
  static async take(path: string, patienceMs: number): Promise<FileLock> {
    const end = performance.now() + patienceMs;
    for (;;) {
      const lock = await FileLock.tryTake(path);
      if (lock !== undefined) return lock;
      if (performance.now() >= end) throw new ApiKeysFileError(heldByAnother(path));
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

  /** To be called right before the protected write: a process that was paused for long may have lost the lock. */
  async requireHeld(): Promise<void> {
    if (await this.isHeld()) return;
    throw new ApiKeysFileError(`another process took over its lock file ${this.path} in the meantime; try again`);
  }

  /** Never throws: the work is done, and a lock that stays is taken over. */
  async release(): Promise<void> {
    try {
      if (await this.isHeld()) await rm(this.path, { force: true });
      await this.handle.close();
    } catch {
      // See above.
    }
  }

  private async isHeld(): Promise<boolean> {
    const own = await this.handle.stat();
    const there = await statIfAny(this.path);
    return own.ino === there?.ino && own.dev === there.dev;
  }
}

function heldByAnother(lock: string): string {
  return `another process holds its lock file ${lock}; one that was left there is passed over after ${LEFT_AFTER_MS / 1000} s`;
}

async function makeFile(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return undefined;
    throw error;
  }
}

/** Puts a lock of its own in the place of one that was left, in one step. Of several that do so the last one holds it. */
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

/** The stats of the file or the link itself; undefined where there is none. */
async function statIfAny(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
