import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Makes the table of API keys. `IF NOT EXISTS`, since MySQL commits DDL by itself: a migration killed between the
 * statement and its record is simply run again.
 */
export class CreateApiKeys1764201500000 implements MigrationInterface {
  readonly name = 'CreateApiKeys1764201500000';

  async up(runner: QueryRunner): Promise<void> {
    const mysql = ['mysql', 'mariadb'].includes(runner.dataSource.options.type);
    // SQLite compares text byte by byte as it is; MySQL's default would take `AbC` and `abc` for one key.
    const ascii = mysql ? 'CHARACTER SET ascii COLLATE ascii_bin' : '';
    const table = mysql ? 'ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin' : '';
    await runner.query(`CREATE TABLE IF NOT EXISTS api_key (
      id VARCHAR(8) ${ascii} NOT NULL,
      client VARCHAR(100) NOT NULL,
      hash VARCHAR(64) ${ascii} NOT NULL,
      scopes VARCHAR(1000) ${ascii} NOT NULL,
      created_at BIGINT NOT NULL,
      expires_at BIGINT NULL,
      revoked_at BIGINT NULL,
      last_used_day BIGINT NULL,
      PRIMARY KEY (id)
    ) ${table}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE IF EXISTS api_key');
  }
}
