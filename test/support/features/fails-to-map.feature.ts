import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { defineFeature } from 'animal-store';
import { Column, Entity } from 'typeorm';

/** This entity has no primary column. */
@Entity('ghost')
class Ghost {
  @Column({ type: 'varchar', length: 10 })
  house!: string;
}

@Module({ imports: [TypeOrmModule.forFeature([Ghost])] })
class GhostsModule {}

export const ghosts = defineFeature({ name: 'ghosts', platform: '^1.0.0', module: GhostsModule });
