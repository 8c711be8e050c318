import { Injectable } from '@nestjs/common';
import { Database, DatabaseError, inList } from '../database/index.js';
import { Answer } from '../http/index.js';
import { bytesOf, textOf } from '../json/index.js';

/** Records deleted by one statement. */
const PURGE_BATCH = 500n;

export interface StoredAnswer {
  readonly fingerprint: string;
  readonly answer: Answer;
  /** Milliseconds since the epoch; from then on the record is as if it were not there. */
  readonly expiresAt: number;
}

/** An answer as its record has it, which older and newer replicas read too. */
interface Stored {
  readonly status: number;
  /** The text, not its bytes: records of earlier builds have it so. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Answers by idempotency key, in the database of the data that they speak of. */
@Injectable()
export class IdempotencyStore {
  constructor(private readonly database: Database) {}

  async find(id: string): Promise<StoredAnswer | undefined> {
    const [row] = await this.database.query(
      'SELECT fingerprint, answer, expires_at FROM idempotency_record WHERE id = ?',
      [id],
    );
    if (row === undefined) return undefined;
    const { status, body, headers } = JSON.parse(row['answer'] as string) as Stored;
    return {
      fingerprint: row['fingerprint'] as string,
      answer: new Answer(status, bytesOf(body), headers),
      expiresAt: Number(row['expires_at']),
    };
  }

  /**
   * Takes a key, inside the transaction that will complete it. Waits while another transaction holds the key.
   *
   * @returns false where the key is taken already.
   * @throws {LockWaitError} when the other transaction takes longer than the database waits for a lock.
   */
  async claim(id: string, fingerprint: string, expiresAt: number): Promise<boolean> {
    try {
      await this.database.execute('INSERT INTO idempotency_record (id, fingerprint, expires_at) VALUES (?, ?, ?)', [
        id,
        fingerprint,
        BigInt(expiresAt),
      ]);
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
  async removeExpired(id: string, now: number): Promise<void> {
    const expired = 'DELETE FROM idempotency_record WHERE id = ? AND expires_at <= ?';
    await this.database.execute(expired, [id, BigInt(now)]);
  }

  async complete(id: string, { status, bytes, headers }: Answer): Promise<void> {
    const stored: Stored = { status, body: textOf(bytes), headers };
    await this.database.execute('UPDATE idempotency_record SET answer = ? WHERE id = ?', [JSON.stringify(stored), id]);
  }

  /** Deletes one batch of expired records; the number deleted. */
  async purge(now: number): Promise<number> {
    const end = BigInt(now);
    const rows = await this.database.query('SELECT id FROM idempotency_record WHERE expires_at <= ? LIMIT ?', [
      end,
      PURGE_BATCH,
    ]);
    if (rows.length === 0) return 0;
    const { marks, values } = inList(rows.map((row) => row['id'] as string));
    // Looked at again: a record may have been made anew in between.
    const { affectedRows } = await this.database.execute(
      `DELETE FROM idempotency_record WHERE expires_at <= ? AND id IN (${marks})`,
      [end, ...values],
    );
    return affectedRows;
  }
}
