import { statSync } from 'node:fs';
import type BetterSqlite3 from 'better-sqlite3-v13';

/** SQLite's own code for it, which it gives only without a write-ahead log. */
const MOVED = 'SQLITE_READONLY_DBMOVED';

/** Milliseconds after which a read looks again whether it reads the file that others see. */
const TRUSTED_MS = 1000;

/** The path names another file than the open one, or none. What is written then is gone when the process ends. */
export class DatabaseMovedError extends Error {
  readonly code = MOVED;

  /** @param outcome `unknown` where something was written, which may have been before or after the file went. */
  constructor(
    path: string,
    readonly outcome?: 'unknown',
  ) {
    super(`${path} was removed, moved or replaced`);
  }
}

type StatementKind = Pick<BetterSqlite3.Statement, 'reader' | 'readonly' | 'source'>;

/**
 * The files of an open database: itself, its write-ahead log and the index of that. SQLite writes on into files that were
 * removed, moved or replaced under it, without an error (WiseLibs/better-sqlite3#1237).
 */
export class SqliteFiles {
  private readonly identities: readonly (readonly [path: string, identity: string])[];
  private checkedAt = performance.now();

  /** @param database open, in the journal mode that it is used in, and read from once, which makes all of its files. */
  constructor(private readonly database: Pick<BetterSqlite3.Database, 'name' | 'memory' | 'inTransaction'>) {
    const paths = database.memory ? [] : ['', '-wal', '-shm'].map((end) => `${database.name}${end}`);
    this.identities = paths.flatMap((path) => {
      const identity = identityOf(path);
      return identity === undefined ? [] : [[path, identity] as const];
    });
  }

  /**
   * Runs a statement on files that are still there. A write, or the end of a transaction, succeeds only where they still are
   * after it. To look takes some microseconds, so a read trusts what was seen within the last second.
   *
   * @throws {DatabaseMovedError} where a path no longer names the file that was opened by it; and what `work` throws.
   */
  run<T>({ reader, readonly, source }: StatementKind, work: () => T): T {
    const writes = !readonly || source === 'COMMIT';
    if (writes || (reader && performance.now() - this.checkedAt >= TRUSTED_MS)) this.check();
    const result = work();
    if (writes && !this.database.inTransaction) this.check('unknown');
    return result;
  }

  private check(outcome?: 'unknown'): void {
    for (const [path, identity] of this.identities) {
      if (identityOf(path) !== identity) throw new DatabaseMovedError(path, outcome);
    }
    this.checkedAt = performance.now();
  }
}

/** Undefined where there is no such file, or it cannot be looked at. */
function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}
