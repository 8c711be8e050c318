import { setTimeout as sleep } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { MIGRATION_TABLE } from './data-source.js';

/** The table in which a process that migrates leaves its mark. */
export const LOCK_TABLE = 'migration_lock';

/** Milliseconds after which a migration's lock may be taken over from a process that died. */
const LEASE_MS = 30_000;
/** Milliseconds that a process waits for another's migrations. */
const PATIENCE_MS = 60_000;

/**
 * Runs the features' migrations, once, however many processes try. The lock is a row with a fixed primary key and a
 * lease: certification of a primary key holds across a Galera cluster, where GET_LOCK is local to one node.
 */
export class Migrator {
  private readonly owner = randomUUID();

  constructor(private readonly dataSource: DataSource) {}

  /** The names of the migrations that this database lacks, in the order in which they will run. */
  async pending(): Promise<string[]> {
    const done = new Set(await this.applied());
    return this.dataSource.migrations
      .map((migration) => migration.name ?? migration.constructor.name)
      .filter((name) => !done.has(name));
  }

  /**
   * Applies what is pending and says what it applied.
   *
   * @throws {Error} when another process holds the lock for more than 60 s, or a migration fails.
   */
  async run(): Promise<string[]> {
    if ((await this.pending()).length === 0) return [];
    return this.locked(async () => {
      const applied = await this.dataSource.runMigrations({ transaction: 'each' });
      return applied.map((migration) => migration.name);
    });
  }

  /** Runs `work` while no other process of this service runs its own. */
  async locked<T>(work: () => Promise<T>): Promise<T> {
    await this.acquire();
    const renewal = setInterval(() => void this.renew().catch(() => undefined), LEASE_MS / 3);
    try {
      return await work();
    } finally {
      clearInterval(renewal);
      await this.dataSource.query(`DELETE FROM ${LOCK_TABLE} WHERE owner = ?`, [this.owner]);
    }
  }

  private async applied(): Promise<string[]> {
    try {
      const rows: { name: string }[] = await this.dataSource.query(`SELECT name FROM ${MIGRATION_TABLE} ORDER BY id`);
      return rows.map((row) => row.name);
    } catch (error) {
      if (isMissingTable(error)) return [];
      throw error;
    }
  }

  private async acquire(): Promise<void> {
    await this.dataSource.query(
      `CREATE TABLE IF NOT EXISTS ${LOCK_TABLE} (id INT NOT NULL PRIMARY KEY, owner VARCHAR(36) NOT NULL, expires_at BIGINT NOT NULL)`,
    );
    const patienceEnds = performance.now() + PATIENCE_MS;
    while (!(await this.tryAcquire())) {
      if (performance.now() > patienceEnds) throw new Error('Another process has held the migration lock for 60 s');
      await sleep(100 + Math.random() * 100);
    }
  }

  private async tryAcquire(): Promise<boolean> {
    try {
      const now = Date.now();
      await this.dataSource.query(`DELETE FROM ${LOCK_TABLE} WHERE id = 1 AND expires_at < ?`, [now]);
      const values = [this.owner, now + LEASE_MS];
      await this.dataSource.query(`INSERT INTO ${LOCK_TABLE} (id, owner, expires_at) VALUES (1, ?, ?)`, values);
      return true;
    } catch (error) {
      if (isContention(error)) return false;
      throw error;
    }
  }

  private async renew(): Promise<void> {
    const values = [Date.now() + LEASE_MS, this.owner];
    await this.dataSource.query(`UPDATE ${LOCK_TABLE} SET expires_at = ? WHERE owner = ?`, values);
  }
}

function codeOf(error: unknown): string {
  return String(
    (error as { code?: unknown; driverError?: { code?: unknown } }).driverError?.code ??
      (error as { code?: unknown }).code,
  );
}

function isMissingTable(error: unknown): boolean {
  return codeOf(error) === 'ER_NO_SUCH_TABLE' || /no such table/.test((error as Error).message);
}

function isContention(error: unknown): boolean {
  return /^(ER_DUP_ENTRY|ER_LOCK_DEADLOCK|ER_LOCK_WAIT_TIMEOUT|SQLITE_CONSTRAINT.*|SQLITE_BUSY.*|SQLITE_LOCKED.*)$/.test(
    codeOf(error),
  );
}
