import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the table `pet`. With its second index, a page of one status is a range scan. */
export class CreatePets1764201600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    if (runner.dataSource.options.type === 'mysql') {
      await runner.query(`
        CREATE TABLE IF NOT EXISTS pet (
          id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
          name VARCHAR(255) NOT NULL,
          category_id BIGINT NOT NULL,
          status VARCHAR(16) NOT NULL,
          KEY pet_status_id (status, id)
        ) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`);
      return;
    }
    await runner.query(`
      CREATE TABLE IF NOT EXISTS pet (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name VARCHAR(255) NOT NULL,
        category_id BIGINT NOT NULL,
        status VARCHAR(16) NOT NULL
      )`);
    await runner.query('CREATE INDEX IF NOT EXISTS pet_status_id ON pet (status, id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE IF EXISTS pet');
  }
}
