import { Module } from '@nestjs/common';
import { defineFeature } from 'animal-store';
import { Column, Entity } from 'typeorm';

/** It has no primary column. */
@Entity('ghost')
class Ghost {
  @Column({ type: 'varchar', length: 10 })
  house!: string;
}

@Module({})
class GhostsModule {}

export const ghosts = defineFeature({ name: 'ghosts', platform: '^1.0.0', module: GhostsModule, entities: [Ghost] });
