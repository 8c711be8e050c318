import { setTimeout as sleep } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { defineFeature } from 'animal-store';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A migration that takes until the lock was renewed meanwhile, as one of an hour would see it. */
class CreateNothing1764300300000 implements MigrationInterface {
  /** A transaction would read what stood there as it began. */
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
