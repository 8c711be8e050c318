import { Module } from '@nestjs/common';
import { defineFeature } from 'animal-store';
import { DataSource } from 'typeorm';

@Module({
  providers: [
    {
      provide: 'WORDS',
      inject: [DataSource],
      useFactory: async (dataSource: DataSource): Promise<unknown> => {
        return await dataSource.query('SELECT 1');
      },
    },
  ],
})
class ParrotsModule {}

export const parrots = defineFeature({ name: 'parrots', platform: '^1.0.0', module: ParrotsModule });
