import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { Int64Column } from '../int64.js';

/** What was answered to a request with an Idempotency-Key, kept for IDEMPOTENCY_RETENTION_MS. */
@Entity('idempotency_record')
export class IdempotencyRecord {
  /** SHA-256 of client, operation and key, base64url. */
  @PrimaryColumn({ type: 'varchar', length: 43, collation: 'utf8mb4_bin' })
  id: string;

  /** SHA-256 of the parsed body, base64url. */
  @Column({ type: 'varchar', length: 43, collation: 'utf8mb4_bin' })
  fingerprint: string;

  /** The answer; empty only inside the transaction that makes it. */
  @Column({ type: 'text', nullable: true, collation: 'utf8mb4_bin' })
  answer: string | null;

  /** Milliseconds since the epoch, by the database's clock; from then on the record is as if it were not there. */
  @Index('idempotency_record_expires_at')
  @Int64Column({ name: 'expires_at' })
  expiresAt: bigint;
}
