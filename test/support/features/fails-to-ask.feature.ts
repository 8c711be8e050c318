import { Module } from '@nestjs/common';
import { Database, defineFeature } from 'animal-store';

@Module({
  providers: [
    {
      provide: 'WORDS',
      inject: [Database],
      useFactory: async (database: Database) => {
        return await database.query('SELECT 1');
      },
    },
  ],
})
class ParrotsModule {}

export const parrots = defineFeature({ name: 'parrots', platform: '^1.0.0', module: ParrotsModule });
