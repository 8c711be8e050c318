import { Module } from '@nestjs/common';
import { defineFeature } from 'animal-store';
import { Table, TableForeignKey, type MigrationInterface, type QueryRunner } from 'typeorm';
import { CreateOrders1764288000000 } from '../../../examples/store-orders/src/create-orders.ts';

/** A table whose rows are deleted with the orders that they refer to. */
class CreateParcels1764290000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const order = new TableForeignKey({
      columnNames: ['order_id'],
      referencedTableName: 'store_order',
      referencedColumnNames: ['id'],
      onDelete: 'CASCADE',
    });
    const columns = [
      { name: 'id', type: 'int', isPrimary: true },
      { name: 'order_id', type: 'bigint' },
    ];
    await runner.createTable(new Table({ name: 'parcel', columns, foreignKeys: [order] }), true);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('parcel', true);
  }
}

@Module({})
class OrdersSchema {}

@Module({})
class ParcelsSchema {}

export const orders = defineFeature({
  name: 'orders',
  platform: '^1.0.0',
  module: OrdersSchema,
  migrations: [CreateOrders1764288000000],
});

export const parcels = defineFeature({
  name: 'parcels',
  platform: '^1.0.0',
  module: ParcelsSchema,
  migrations: [CreateParcels1764290000000],
});
