import { statSync } from 'node:fs';
import type BetterSqlite3 from 'better-sqlite3-v13';

/** SQLite's error code for a moved file. SQLite itself reports it only without a write-ahead log. */
const MOVED = 'SQLITE_READONLY_DBMOVED';

/** Interval after which a read checks again that the open file is the one at the path. Milliseconds. */
const TRUSTED_MS = 1000;

/** The path names another file than the open one, or none. Data that is written now is lost when the process ends. */
export class DatabaseMovedError extends Error {
  readonly code = MOVED;

  /** @param outcome `unknown` after a write, because the file may have been moved before or after it. */
  constructor(
    path: string,
    readonly outcome?: 'unknown',
  ) {
    super(`${path} was removed, moved or replaced`);
  }
}

type StatementKind = Pick<BetterSqlite3.Statement, 'reader' | 'readonly' | 'source'>;

/**
 * The files of an open database: the database, its write-ahead log and the index of the log. If they are removed, moved
 * or replaced, SQLite continues to write to the old files without an error (WiseLibs/better-sqlite3#1237).
 */
export class SqliteFiles {
  private readonly identities: readonly (readonly [path: string, identity: string])[];
  private checkedAt = performance.now();

  /** @param database an open database, in its final journal mode. One read must have created all files. */
  constructor(private readonly database: Pick<BetterSqlite3.Database, 'name' | 'memory' | 'inTransaction'>) {
    const paths = database.memory ? [] : ['', '-wal', '-shm'].map((end) => `${database.name}${end}`);
    this.identities = paths.flatMap((path) => {
      const identity = identityOf(path);
      return identity === undefined ? [] : [[path, identity] as const];
    });
  }

  /**
   * Runs a statement and checks that the files are still there. A write, or the end of a transaction, succeeds only if
   * they are there before and after it. A check takes some microseconds, so a read trusts a check of the last second.
   *
   * @throws {DatabaseMovedError} if a path does not name the opened file any more. Otherwise it throws the error of
   * `work`.
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

/** Undefined if the file does not exist or cannot be read. */
function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}
