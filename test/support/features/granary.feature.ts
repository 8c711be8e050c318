import { setTimeout as sleep } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { defineFeature } from 'animal-store';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A migration that takes its time, so that whoever does not wait for it is seen to. */
class CreateGrains1764300200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE IF NOT EXISTS grain (id INT NOT NULL PRIMARY KEY)');
    await sleep(2000);
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE grain');
  }
}

@Module({})
class GranaryModule {}

export const granary = defineFeature({
  name: 'granary',
  platform: '^1.0.0',
  module: GranaryModule,
  migrations: [CreateGrains1764300200000],
});
