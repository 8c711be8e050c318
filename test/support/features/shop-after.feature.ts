import { Module } from '@nestjs/common';
import { defineFeature } from 'animal-store';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ChangeOrders1764374400000 } from '../../../examples/store-orders/src/change-orders.ts';

/** The same kind of change in plain SQL that all engines understand. */
class WeighParcels1764376000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE parcel ADD COLUMN weight INT NOT NULL DEFAULT 7');
    await runner.query('CREATE INDEX parcel_weight ON parcel (weight)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropIndex('parcel', 'parcel_weight');
    await runner.query('ALTER TABLE parcel DROP COLUMN weight');
  }
}

@Module({})
class ChangesSchema {}

export const shopChanges = defineFeature({
  name: 'shop-changes',
  platform: '^1.0.0',
  module: ChangesSchema,
  migrations: [ChangeOrders1764374400000, WeighParcels1764376000000],
});
