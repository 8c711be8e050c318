import { ApiKeyEntity, CreateApiKeys1764201500000 } from './auth/index.js';
import { LOCK_TABLE, MIGRATION_TABLE } from './database/index.js';
import type { Entities, Feature } from './feature.js';
import { CreateIdempotencyRecords1764201550000, IdempotencyRecord } from './idempotency/index.js';

/** The platform's own tables, listed before those of the features. */
export const platformSchema: Pick<Feature, 'name' | 'migrations' | 'privileges'> & {
  readonly entities: Entities;
  readonly tables: readonly string[];
} = {
  name: 'platform',
  /** Tables without an entity: the executed migrations, and the migration lock. */
  tables: [MIGRATION_TABLE, LOCK_TABLE],
  entities: [ApiKeyEntity, IdempotencyRecord],
  privileges: { [MIGRATION_TABLE]: 'SELECT', api_key: 'SELECT, UPDATE (last_used_day)' },
  migrations: [CreateApiKeys1764201500000, CreateIdempotencyRecords1764201550000],
};
