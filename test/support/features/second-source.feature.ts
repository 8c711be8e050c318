import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { defineFeature } from 'animal-store';

/** Every tutorial of TypeORM begins like this. */
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      useFactory: () => {
        throw new Error('A feature that was refused has run');
      },
    }),
  ],
})
class CellarModule {}

export const cellar = defineFeature({ name: 'cellar', platform: '^1.0.0', module: CellarModule });
