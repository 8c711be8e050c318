import { Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { Database, defineFeature } from 'animal-store';

@Injectable()
class Parrot implements OnModuleInit {
  constructor(private readonly database: Database) {}

  async onModuleInit(): Promise<void> {
    await this.database.query('SELECT 1');
  }
}

@Module({ providers: [Parrot] })
class ParrotsModule {}

export const parrots = defineFeature({ name: 'parrots', platform: '^1.0.0', module: ParrotsModule });
