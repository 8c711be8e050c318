import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/index.js';
import { Database, DatabaseError, databaseNow, inList } from '../database/index.js';
import { Answer } from '../http/index.js';
import { bytesOf, textOf } from '../json/index.js';

/** Records deleted by one statement. */
const PURGE_BATCH = 500;

export interface StoredAnswer {
  readonly fingerprint: string;
  readonly answer: Answer;
}

/** An answer as its record has it, which older and newer replicas read too. */
interface Stored {
  readonly status: number;
  /** The text, not its bytes: records of earlier builds have it so. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Answers by idempotency key, in the database of the data that they speak of. The database's clock decides when a record
 * expires, so a replica whose own clock is wrong does no harm.
 */
@Injectable()
export class IdempotencyStore {
  private readonly now: string;
  private readonly retentionMs: number;

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) config: Pick<Config, 'idempotency'>,
  ) {
    this.now = databaseNow(database.dialect);
    this.retentionMs = config.idempotency.retentionMs;
  }

  /** What was answered; `expired` where there is a record that counts no more, undefined where there is none. */
  async find(id: string): Promise<StoredAnswer | 'expired' | undefined> {
    const [row] = await this.database.query(
      `SELECT fingerprint, answer, expires_at > ${this.now} AS is_live FROM idempotency_record WHERE id = ?`,
      [id],
    );
    if (row === undefined) return undefined;
    if (row['is_live'] === 0n) return 'expired';
    const { status, body, headers } = JSON.parse(row['answer'] as string) as Stored;
    return { fingerprint: row['fingerprint'] as string, answer: new Answer(status, bytesOf(body), headers) };
  }

  /** Whether a transaction that has not ended, or only just has, holds the key: others see its record uncommitted. */
  async isHeld(id: string): Promise<boolean> {
    const live = `SELECT id FROM idempotency_record WHERE id = ? AND expires_at > ${this.now}`;
    const look = () => this.database.query(live, [id]);
    return (await this.database.transaction(look, 'READ UNCOMMITTED')).length > 0;
  }

  /**
   * Takes a key for IDEMPOTENCY_RETENTION_MS, inside the transaction that will complete it. Waits while another
   * transaction holds the key.
   *
   * @returns false where the key is taken already.
   * @throws {LockWaitError} when something is locked for longer than the database waits for it.
   */
  async claim(id: string, fingerprint: string): Promise<boolean> {
    try {
      await this.database.execute(
        `INSERT INTO idempotency_record (id, fingerprint, expires_at) VALUES (?, ?, ${this.now} + ${this.retentionMs})`,
        [id, fingerprint],
      );
      return true;
    } catch (error) {
      if (error instanceof DatabaseError && error.duplicateKey) return false;
      throw error;
    }
  }

  /**
   * Makes way for a claim of the same transaction.
   *
   * @throws {LockWaitError} as `claim`.
   */
  async removeExpired(id: string): Promise<void> {
    await this.database.execute(`DELETE FROM idempotency_record WHERE id = ? AND expires_at <= ${this.now}`, [id]);
  }

  async complete(id: string, { status, bytes, headers }: Answer): Promise<void> {
    const stored: Stored = { status, body: textOf(bytes), headers };
    await this.database.execute('UPDATE idempotency_record SET answer = ? WHERE id = ?', [JSON.stringify(stored), id]);
  }

  /** Deletes one batch of expired records; the number deleted. */
  async purge(): Promise<number> {
    const rows = await this.database.query(
      `SELECT id FROM idempotency_record WHERE expires_at <= ${this.now} LIMIT ${PURGE_BATCH}`,
    );
    if (rows.length === 0) return 0;
    const { marks, values } = inList(rows.map((row) => row['id'] as string));
    // Looked at again: a record may have been made anew in between.
    const { affectedRows } = await this.database.execute(
      `DELETE FROM idempotency_record WHERE expires_at <= ${this.now} AND id IN (${marks})`,
      values,
    );
    return affectedRows;
  }
}
