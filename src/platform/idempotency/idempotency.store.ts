import { Injectable } from '@nestjs/common';
import { Database, DatabaseError } from '../database/index.js';
import { Answer } from '../http/index.js';

/** Milliseconds that a claim may wait for another's transaction: above the database's own lock wait of 2 s. */
const CLAIM_TIMEOUT_MS = 2500;
/** Records deleted by one statement. */
const PURGE_BATCH = 500n;

export interface StoredAnswer {
  readonly fingerprint: string;
  readonly answer: Answer;
}

/** Answers by idempotency key, in the database of the data that they speak of. */
@Injectable()
export class IdempotencyStore {
  constructor(private readonly database: Database) {}

  /** @param now milliseconds since the epoch; a record that expired before it is as if it were not there. */
  async find(id: string, now: number): Promise<StoredAnswer | undefined> {
    const [row] = await this.database.query(
      'SELECT fingerprint, answer FROM idempotency_record WHERE id = ? AND expires_at > ?',
      [id, BigInt(now)],
    );
    if (row === undefined || row['answer'] === null) return undefined;
    const { status, body, headers } = JSON.parse(row['answer'] as string) as Answer;
    return { fingerprint: row['fingerprint'] as string, answer: new Answer(status, body, headers) };
  }

  /**
   * Takes a key, inside the transaction that will complete it. Waits while another transaction holds the key.
   *
   * @returns false where the key is taken already.
   * @throws {LockWaitError} when the other transaction takes longer than 2 s.
   */
  async claim(id: string, fingerprint: string, now: number, expiresAt: number): Promise<boolean> {
    await this.database.execute('DELETE FROM idempotency_record WHERE id = ? AND expires_at <= ?', [id, BigInt(now)]);
    try {
      await this.database.execute(
        'INSERT INTO idempotency_record (id, fingerprint, expires_at) VALUES (?, ?, ?)',
        [id, fingerprint, BigInt(expiresAt)],
        { timeoutMs: CLAIM_TIMEOUT_MS },
      );
      return true;
    } catch (error) {
      if (error instanceof DatabaseError && error.duplicateKey) return false;
      throw error;
    }
  }

  async complete(id: string, { status, body, headers }: Answer): Promise<void> {
    const answer = JSON.stringify({ status, body, headers });
    await this.database.execute('UPDATE idempotency_record SET answer = ? WHERE id = ?', [answer, id]);
  }

  /** Deletes one batch of expired records; the number deleted. */
  async purge(now: number): Promise<number> {
    const rows = await this.database.query('SELECT id FROM idempotency_record WHERE expires_at <= ? LIMIT ?', [
      BigInt(now),
      PURGE_BATCH,
    ]);
    if (rows.length === 0) return 0;
    const ids = rows.map((row) => row['id'] as string);
    const { affectedRows } = await this.database.execute(
      `DELETE FROM idempotency_record WHERE id IN (${ids.map(() => '?').join(', ')})`,
      ids,
    );
    return affectedRows;
  }
}
