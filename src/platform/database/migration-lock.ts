import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlatformDataSource } from './data-source.js';
import { StartFault } from '../errors/index.js';
import { databaseNow } from './sql-statements.js';
import { codeOf, isFileLock } from './database-failure.js';

type Ask = (sql: string, parameters: readonly unknown[]) => Promise<unknown>;

/** The table of the migration lock. */
export const LOCK_TABLE = 'migration_lock';

/** How long the lock of a process that died is valid. Milliseconds. Then another process may take it. */
const LEASE_MS = 30_000;
/** How long a process waits for the migrations of another one. Milliseconds. */
const PATIENCE_MS = 60_000;

/** Is called when another process has the lock, or when the lock cannot be renewed. */
export interface LockListener {
  /** Another process has the lock. Called once for each wait, which ends after at most 60 s. */
  waiting(): void;
  /** The lock could not be renewed. Another process may take it 30 s after the last renewal, or has taken it. */
  unrenewed(error: unknown): void;
}

/**
 * Lets only one process migrate at a time. The lock is a row with a fixed primary key and an expiry. A Galera cluster
 * certifies a primary key on all nodes, but GET_LOCK is local to one node. The clock of the database decides about the
 * expiry.
 */
export class MigrationLock {
  private readonly owner = randomUUID();
  private readonly now: string;

  constructor(private readonly dataSource: PlatformDataSource) {
    this.now = databaseNow(dataSource);
  }

  /**
   * Runs `work` while no other process of this service runs its own. Work of several steps calls `confirm` before each
   * step.
   *
   * @param listener is notified of waits and failed renewals.
   * @param stopping ends the wait for the lock.
   * @throws {StartFault} (rejects) if another process holds the lock for more than 60 s. Otherwise it rejects with the
   * reason of `stopping` or the error of `work`.
   */
  async hold<T>(work: () => Promise<T>, listener: LockListener, stopping?: AbortSignal): Promise<T> {
    await this.acquire(listener, stopping);
    let held = true;
    const unrenewed = (error: unknown): void => {
      if (held) listener.unrenewed(error);
    };
    const renewal = setInterval(() => void this.renew().catch(unrenewed), LEASE_MS / 3);
    let result: T;
    try {
      result = await work();
    } catch (error) {
      // The error of `work` is more important. If the release fails, the lock expires.
      await this.release().catch(() => undefined);
      throw error;
    } finally {
      held = false;
      clearInterval(renewal);
    }
    await this.release();
    return result;
  }

  /**
   * Renews the lock of this process for the next 30 s.
   *
   * @throws {StartFault} (rejects) if another process has taken the lock, because it was not renewed in time.
   */
  async confirm(ask: Ask = (sql, values) => this.dataSource.ask(sql, values)): Promise<void> {
    const renew = `UPDATE ${LOCK_TABLE} SET expires_at = ${this.now} + ${LEASE_MS} WHERE owner = ?`;
    await ask(renew, [this.owner]);
    const own = await ask(`SELECT id FROM ${LOCK_TABLE} WHERE owner = ?`, [this.owner]);
    if ((own as unknown[]).length === 0) {
      throw new StartFault(
        'Another process has taken the migration lock over, which was not renewed for 30 s. No further migration is begun here',
      );
    }
  }

  /** Uses a separate connection, because the migration may use all others. SQLite has only one connection. */
  private async renew(): Promise<void> {
    try {
      await this.dataSource.askAlone((ask) => this.confirm(ask));
    } catch (error) {
      // The migration uses the only connection of SQLite, so no other process can write either.
      const isBusy = this.dataSource.options.type !== 'mysql' && codeOf(error) === 'DATABASE_TIMEOUT';
      if (!isBusy) throw error;
    }
  }

  private async acquire(listener: LockListener, stopping: AbortSignal | undefined): Promise<void> {
    // InnoDB whatever the server's default is: only its rows are certified on all nodes of a cluster.
    const engine = this.dataSource.options.type === 'mysql' ? 'ENGINE = InnoDB' : '';
    await this.dataSource.ask(
      `CREATE TABLE IF NOT EXISTS ${LOCK_TABLE} (id INT NOT NULL PRIMARY KEY, owner VARCHAR(36) NOT NULL, expires_at BIGINT NOT NULL) ${engine}`,
    );
    if (await this.tryAcquire()) return;
    listener.waiting();
    const patienceEnds = performance.now() + PATIENCE_MS;
    do {
      stopping?.throwIfAborted();
      if (performance.now() > patienceEnds)
        throw new StartFault('Another process has held the migration lock for 60 s');
      await sleep(100 + Math.random() * 100);
    } while (!(await this.tryAcquire()));
  }

  private async tryAcquire(): Promise<boolean> {
    try {
      await this.dataSource.ask(`DELETE FROM ${LOCK_TABLE} WHERE id = 1 AND expires_at < ${this.now}`);
      const take = `INSERT INTO ${LOCK_TABLE} (id, owner, expires_at) VALUES (1, ?, ${this.now} + ${LEASE_MS})`;
      await this.dataSource.ask(take, [this.owner]);
      return true;
    } catch (error) {
      if (isContention(error)) return false;
      throw error;
    }
  }

  /**
   * Retries while processes that wait for the lock have locked its row. Otherwise they would have to wait until it
   * expires.
   */
  private async release(): Promise<void> {
    const patienceEnds = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        await this.dataSource.ask(`DELETE FROM ${LOCK_TABLE} WHERE owner = ?`, [this.owner]);
        return;
      } catch (error) {
        if (!isContention(error) || performance.now() > patienceEnds) throw error;
        await sleep(Math.random() * 50);
      }
    }
  }
}

function isContention(error: unknown): boolean {
  const code = codeOf(error) ?? '';
  return isFileLock(code) || /^(ER_DUP_ENTRY|ER_LOCK_DEADLOCK|ER_LOCK_WAIT_TIMEOUT|SQLITE_CONSTRAINT.*)$/.test(code);
}
