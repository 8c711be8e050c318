import { Inject, Injectable } from '@nestjs/common';
import { Column, DataSource, Entity, Index, PrimaryColumn } from 'typeorm';
import { CONFIG, type Config } from '../config/index.js';
import { databaseNow, inList, isDuplicateKey } from '../database/index.js';
import { Answer } from '../http/index.js';
import { Int64Column } from '../int64.js';
import { bytesOf, textOf } from '../json/index.js';

/** The answer to a request with an Idempotency-Key, stored for IDEMPOTENCY_RETENTION_MS. */
@Entity('idempotency_record')
export class IdempotencyRecord {
  /** SHA-256 of client, operation and key, in base64url. */
  @PrimaryColumn({ type: 'varchar', length: 43, collation: 'utf8mb4_bin' })
  id: string;

  /** SHA-256 of what the request asks for, in base64url. */
  @Column({ type: 'varchar', length: 43, collation: 'utf8mb4_bin' })
  fingerprint: string;

  /** The answer as JSON. It is null only inside the transaction that creates it. */
  @Column({ type: 'text', nullable: true, collation: 'utf8mb4_bin' })
  answer: string | null;

  /** Milliseconds since the Unix epoch, by the clock of the database. From this time on the record is ignored. */
  @Index('idempotency_record_expires_at')
  @Int64Column({ name: 'expires_at' })
  expiresAt: bigint;
}

/** Limit of records that one statement deletes. */
const PURGE_BATCH = 500;

export interface StoredAnswer {
  readonly fingerprint: string;
  readonly answer: Answer;
}

/** The JSON of an answer in its record. Older and newer replicas read it too. */
interface Stored {
  readonly status: number;
  /** Text, not bytes, because records of earlier builds contain text. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Stores answers by idempotency key, in the same database as the data of the feature. The clock of the database decides
 * when a record expires, so the clock of a replica may be wrong.
 */
@Injectable()
export class IdempotencyStore {
  private readonly now: string;
  private readonly retentionMs: number;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(CONFIG) config: Pick<Config, 'idempotency'>,
  ) {
    this.now = databaseNow(dataSource);
    this.retentionMs = config.idempotency.retentionMs;
  }

  /** The stored answer; `expired` if the record is expired, undefined if there is no record. */
  async find(id: string): Promise<StoredAnswer | 'expired' | undefined> {
    const [row] = await this.dataSource.query<{ fingerprint: string; answer: string; is_live: 0 | 1 }[]>(
      `SELECT fingerprint, answer, expires_at > ${this.now} AS is_live FROM idempotency_record WHERE id = ?`,
      [id],
    );
    if (row === undefined) return undefined;
    if (row.is_live === 0) return 'expired';
    const { status, body, headers } = JSON.parse(row.answer) as Stored;
    return { fingerprint: row.fingerprint, answer: new Answer(status, bytesOf(body), headers) };
  }

  /** Whether another transaction holds the key, or has just committed it. It reads uncommitted records. */
  async isHeld(id: string): Promise<boolean> {
    const live = `SELECT id FROM idempotency_record WHERE id = ? AND expires_at > ${this.now}`;
    const rows = await this.dataSource.transaction('READ UNCOMMITTED', () =>
      this.dataSource.query<unknown[]>(live, [id]),
    );
    return rows.length > 0;
  }

  /**
   * Claims a key for IDEMPOTENCY_RETENTION_MS, inside the transaction that will complete it. Waits while another
   * transaction holds the key.
   *
   * @returns false if the key is already claimed.
   * @throws {QueryFailedError} (rejects) with a lock error if a lock lasts longer than the database waits for it.
   */
  async claim(id: string, fingerprint: string): Promise<boolean> {
    try {
      await this.dataSource.query(
        `INSERT INTO idempotency_record (id, fingerprint, expires_at) VALUES (?, ?, ${this.now} + ${this.retentionMs})`,
        [id, fingerprint],
      );
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  /**
   * Deletes an expired record, so that the same transaction can claim its key.
   *
   * @throws {QueryFailedError} (rejects) as `claim`.
   */
  async removeExpired(id: string): Promise<void> {
    await this.dataSource.query(`DELETE FROM idempotency_record WHERE id = ? AND expires_at <= ${this.now}`, [id]);
  }

  async complete(id: string, { status, bytes, headers }: Answer): Promise<void> {
    const stored: Stored = { status, body: textOf(bytes), headers };
    await this.dataSource.query('UPDATE idempotency_record SET answer = ? WHERE id = ?', [JSON.stringify(stored), id]);
  }

  /** Deletes one batch of expired records, and returns how many it deleted. */
  async purge(): Promise<number> {
    const isExpired = `expires_at <= ${this.now}`;
    const rows = await this.dataSource.query<{ id: string }[]>(
      `SELECT id FROM idempotency_record WHERE ${isExpired} LIMIT ${PURGE_BATCH}`,
    );
    if (rows.length === 0) return 0;
    // The DELETE checks the expiry again, because a record may have been created anew since the SELECT.
    const expired = this.dataSource.createQueryBuilder().delete().from(IdempotencyRecord).where(isExpired);
    const { values: ids } = inList(rows.map(({ id }) => id));
    return (await expired.andWhere('id IN (:...ids)', { ids }).execute()).affected ?? 0;
  }
}
