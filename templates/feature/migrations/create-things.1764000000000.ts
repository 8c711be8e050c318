import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the table, on every engine. */
export class CreateThings1764000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const mysql = runner.dataSource.options.type === 'mysql';
    const id = mysql ? 'BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY' : 'INTEGER PRIMARY KEY AUTOINCREMENT';
    const engine = mysql ? 'ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin' : '';
    await runner.query(`CREATE TABLE IF NOT EXISTS things_thing (id ${id}, name VARCHAR(255) NOT NULL) ${engine}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE IF EXISTS things_thing');
  }
}
