import { setTimeout as sleep } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { defineFeature } from 'animal-store';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A migration that lasts until the migration lock is renewed, as a migration of an hour would. */
class CreateNothing1764300300000 implements MigrationInterface {
  /** In a transaction it would not see the renewal, since it would read its snapshot. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const expiry = (): Promise<unknown> => runner.query('SELECT expires_at FROM migration_lock');
    const first = JSON.stringify(await expiry());
    for (let seconds = 0; JSON.stringify(await expiry()) === first; seconds += 1) {
      if (seconds > 20) throw new Error('The lock was not renewed');
      await sleep(1000);
    }
  }
  async down(): Promise<void> {}
}

@Module({})
class DawdlerModule {}

export const dawdler = defineFeature({
  name: 'dawdler',
  platform: '^1.0.0',
  module: DawdlerModule,
  migrations: [CreateNothing1764300300000],
});
