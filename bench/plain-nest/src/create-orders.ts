import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateOrders1764300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE TABLE store_order (id INTEGER PRIMARY KEY AUTOINCREMENT, pet_id BIGINT NOT NULL, buyer VARCHAR(255) NOT NULL)',
    );
    await runner.query(
      'CREATE TABLE idempotency (id VARCHAR(255) PRIMARY KEY, request TEXT NOT NULL, answer TEXT NOT NULL)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idempotency');
    await runner.query('DROP TABLE store_order');
  }
}
