import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The table of API keys. It holds the hash of each key, never the key. */
@Entity('api_key')
export class ApiKeyEntity {
  /** The public id, case-sensitive. */
  @PrimaryColumn('varchar', { length: 8 })
  id: string;

  @Column('varchar', { length: 100 })
  client: string;

  /** SHA-256 of the key's text, lower-case hexadecimal. */
  @Column('varchar', { length: 64 })
  hash: string;

  /** Separated by single spaces, as RFC 6749 §3.3 writes scopes. */
  @Column('varchar', { length: 1000 })
  scopes: string;

  @Column('bigint', { name: 'created_at' })
  createdAt: bigint;

  @Column('bigint', { name: 'expires_at', nullable: true })
  expiresAt: bigint | null;

  @Column('bigint', { name: 'revoked_at', nullable: true })
  revokedAt: bigint | null;

  /** Days since 1970-01-01 (UTC). */
  @Column('bigint', { name: 'last_used_day', nullable: true })
  lastUsedDay: bigint | null;
}
