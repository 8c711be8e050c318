import { expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Column, Entity, PrimaryGeneratedColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { defineFeature, pets } from '../index.js';
import { startTestApplication } from './index.js';

it('a reset forgets pets and what was answered to an Idempotency-Key, and leaves the keys', async () => {
  const application = await startTestApplication({ features: [pets] });
  const reader = await application.clientWith('pets:read');
  const create = () =>
    application.client.post('/v1/pets', { name: 'Rex', categoryId: 1 }, { headers: { 'idempotency-key': 'one' } });
  for (let round = 0; round < 2; round++) {
    const created = await create();
    expect([created.status, created.headers.get('idempotent-replayed')]).toStrictEqual([201, null]);
    expect((await create()).headers.get('idempotent-replayed')).toBe('true');
    expect((await reader.get('/v1/pets')).json()).toMatchObject([{ id: 1 }]);
    await application.reset();
    expect((await reader.get('/v1/pets')).json()).toStrictEqual([]);
  }
  await application.stop();
});

it('a reset empties a table whose name is a word of SQL', async () => {
  const application = await startTestApplication({ features: [orders] });
  const repository = application.dataSource.getRepository(Order);
  for (let round = 0; round < 2; round++) {
    await repository.save({ note: 'soon' });
    expect(await repository.find()).toMatchObject([{ id: 1n }]);
    await application.reset();
    expect(await repository.find()).toStrictEqual([]);
  }
  await application.stop();
});

@Entity('order')
class Order {
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id: bigint;

  @Column({ type: 'varchar', length: 50 })
  note: string;
}

class CreateOrders1764300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE TABLE IF NOT EXISTS "order" (id INTEGER PRIMARY KEY AUTOINCREMENT, note VARCHAR(50) NOT NULL)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "order"');
  }
}

@Module({ imports: [TypeOrmModule.forFeature([Order])] })
class OrdersModule {}

const orders = defineFeature({
  name: 'orders',
  platform: '^1.0.0',
  module: OrdersModule,
  migrations: [CreateOrders1764300000000],
});
