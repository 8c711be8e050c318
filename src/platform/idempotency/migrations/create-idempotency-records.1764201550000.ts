import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateIdempotencyRecords1764201550000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    if (runner.dataSource.options.type === 'mysql') {
      // One statement, because MySQL commits each DDL statement by itself. So a migration that was killed can run
      // again.
      await runner.query(`
        CREATE TABLE IF NOT EXISTS idempotency_record (
          id VARCHAR(43) NOT NULL PRIMARY KEY,
          fingerprint VARCHAR(43) NOT NULL,
          answer MEDIUMTEXT,
          expires_at BIGINT NOT NULL,
          KEY idempotency_record_expires_at (expires_at)
        ) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`);
      return;
    }
    await runner.query(`
      CREATE TABLE IF NOT EXISTS idempotency_record (
        id VARCHAR(43) NOT NULL PRIMARY KEY,
        fingerprint VARCHAR(43) NOT NULL,
        answer TEXT,
        expires_at BIGINT NOT NULL
      )`);
    await runner.query('CREATE INDEX IF NOT EXISTS idempotency_record_expires_at ON idempotency_record (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE IF EXISTS idempotency_record');
  }
}
