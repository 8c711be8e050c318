import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Creates the table of API keys. It uses `IF NOT EXISTS` because MySQL commits DDL on its own: if the process dies
 * after the statement and before the record of the migration, the migration runs again.
 */
export class CreateApiKeys1764201500000 implements MigrationInterface {
  readonly name = 'CreateApiKeys1764201500000';

  async up(runner: QueryRunner): Promise<void> {
    const mysql = ['mysql', 'mariadb'].includes(runner.dataSource.options.type);
    // SQLite compares text byte by byte by default. MySQL's default collation would treat `AbC` and `abc` as one key.
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
