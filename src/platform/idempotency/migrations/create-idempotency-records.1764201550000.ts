import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The table `idempotency_record`. */
export class CreateIdempotencyRecords1764201550000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const mysql = runner.dataSource.options.type === 'mysql';
    await runner.query(`
      CREATE TABLE IF NOT EXISTS idempotency_record (
        id VARCHAR(43) NOT NULL PRIMARY KEY,
        fingerprint VARCHAR(43) NOT NULL,
        answer TEXT,
        expires_at BIGINT NOT NULL
      )${mysql ? ' ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin' : ''}`);
    await runner.query(
      `CREATE INDEX ${mysql ? '' : 'IF NOT EXISTS '}idempotency_record_expires_at ON idempotency_record (expires_at)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idempotency_record');
  }
}
