import { Module } from '@nestjs/common';
import { defineFeature } from 'animal-store';
import type { MigrationInterface, QueryRunner } from 'typeorm';

class CreateNothing1500000000000 implements MigrationInterface {
  up(runner: QueryRunner): Promise<unknown> {
    return runner.query('CREATE NOTHING');
  }
  async down(): Promise<void> {}
}

@Module({})
class NothingModule {}

export const nothing = defineFeature({
  name: 'nothing',
  platform: '^1.0.0',
  module: NothingModule,
  migrations: [CreateNothing1500000000000],
});
