import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlatformDataSource } from './data-source.js';
import { StartFault } from '../errors/index.js';
import { databaseNow } from './sql-statements.js';
import { codeOf, isFileLock } from './database-failure.js';

/** Runs one statement. */
type Ask = (sql: string, parameters: readonly unknown[]) => Promise<unknown>;

/** The table in which a process that migrates leaves its mark. */
export const LOCK_TABLE = 'migration_lock';

/** Milliseconds after which a migration's lock may be taken over from a process that died. */
const LEASE_MS = 30_000;
/** Milliseconds that a process waits for another's migrations. */
const PATIENCE_MS = 60_000;

/** Is called when another process has the lock, or it cannot be renewed. */
export interface LockListener {
  /** Another process has the lock; once for each wait, which ends after 60 s at the latest. */
  waiting(): void;
  /** The lock could not be renewed: after 30 s without it another process may take it over, or has done so. */
  unrenewed(error: unknown): void;
}

/**
 * Lets one process migrate at a time. The lock is a row with a fixed primary key and a lease: certification of a primary
 * key holds across a Galera cluster, where GET_LOCK is local to one node. The database's clock says when the lease ends.
 */
export class MigrationLock {
  private readonly owner = randomUUID();
  private readonly now: string;

  constructor(private readonly dataSource: PlatformDataSource) {
    this.now = databaseNow(dataSource);
  }

  /**
   * Runs `work` while no other process of this service runs its own. Work of several steps calls `confirm` before each.
   *
   * @param listener hears what becomes of the lock meanwhile.
   * @param stopping ends the wait for the lock.
   * @throws {StartFault} when another process holds the lock for more than 60 s. Else what `stopping` was ended with.
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
      // It is the fault to report; a lock that stays ends with its lease.
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
   * Makes sure that the lock is this process's for the next 30 s.
   *
   * @throws {StartFault} when another process has taken it over, as it may where it could not be renewed.
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

  /** By a connection of its own, which no migration has, nor waits for. SQLite has one for all. */
  private async renew(): Promise<void> {
    try {
      await this.dataSource.askAlone((ask) => this.confirm(ask));
    } catch (error) {
      // The migration has SQLite's only connection: then nobody else can write either.
      const isBusy = this.dataSource.options.type !== 'mysql' && codeOf(error) === 'DATABASE_TIMEOUT';
      if (!isBusy) throw error;
    }
  }

  private async acquire(listener: LockListener, stopping: AbortSignal | undefined): Promise<void> {
    // Whatever the server's default is: only InnoDB makes a row that all nodes of a cluster agree on.
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

  /** Tries again where those who wait for the lock have its row locked: otherwise they would wait for the lease to end. */
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
