import type { FactoryProvider, Provider, Type } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource, EntitySchema } from 'typeorm';
import type { Entities } from '../feature.js';

type Entity = Entities[number];

/** A data source that gives whoever asks for an entity's repository the entity. */
const ASKED = {
  entityMetadatas: [],
  options: {},
  getRepository: (entity: Entity) => entity,
} as unknown as DataSource;

/** The entities that a module registers, where it is a `TypeOrmModule.forFeature`: its factories ask for their repositories. */
export function entitiesIn(type: Type, providers: readonly Provider[]): Entities {
  if (type !== TypeOrmModule) return [];
  const factories = providers.filter((provider): provider is FactoryProvider => 'useFactory' in provider);
  return factories
    .filter(({ inject = [] }) => inject.includes(DataSource))
    .map(({ useFactory }) => (useFactory as (dataSource: DataSource) => Entity)(ASKED));
}

export function nameOfEntity(entity: Entity): string {
  return entity instanceof EntitySchema ? entity.options.name : entity.name;
}
