import { setTimeout as sleep } from 'node:timers/promises';
import {
  Inject,
  Module,
  type BeforeApplicationShutdown,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { defineFeature, LOG, type Log } from 'animal-store';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';

/** A migration that takes a while, so that a start that does not wait for it is noticed. */
class CreateGrains1764300200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE IF NOT EXISTS grain (id INT NOT NULL PRIMARY KEY)');
    await sleep(2000);
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE IF EXISTS grain');
    await sleep(2000);
  }
}

/** Uses the database in every shutdown hook of Nest. */
@Module({})
class GranaryModule implements OnModuleDestroy, BeforeApplicationShutdown, OnApplicationShutdown {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onModuleDestroy(): Promise<void> {
    return this.closeUp('onModuleDestroy');
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.closeUp('beforeApplicationShutdown');
  }

  onApplicationShutdown(): Promise<void> {
    return this.closeUp('onApplicationShutdown');
  }

  private async closeUp(hook: string): Promise<void> {
    const grains = await this.dataSource.query<unknown[]>('SELECT id FROM grain');
    this.log.info({ event: 'granary.closed', hook, grains: grains.length }, 'Closed up');
  }
}

export const granary = defineFeature({
  name: 'granary',
  platform: '^1.0.0',
  module: GranaryModule,
  migrations: [CreateGrains1764300200000],
});
