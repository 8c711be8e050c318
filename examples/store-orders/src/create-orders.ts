import { TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Creates the table `store_order`, on MySQL and SQLite. With its second index, a page of one status is a range scan.
 */
export class CreateOrders1764288000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const mysql = runner.dataSource.options.type === 'mysql';
    const id = mysql ? 'BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY' : 'INTEGER PRIMARY KEY AUTOINCREMENT';
    const engine = mysql ? 'ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin' : '';
    await runner.query(`
      CREATE TABLE IF NOT EXISTS store_order (
        id ${id},
        pet_id BIGINT NOT NULL,
        quantity INT NOT NULL,
        status VARCHAR(16) NOT NULL,
        placed_at BIGINT NOT NULL
      ) ${engine}`);
    const table = await runner.getTable('store_order');
    if (table?.indices.some(({ name }) => name === INDEX) !== true) {
      await runner.createIndex('store_order', new TableIndex({ name: INDEX, columnNames: ['status', 'id'] }));
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE IF EXISTS store_order');
  }
}

const INDEX = 'store_order_status_id';
