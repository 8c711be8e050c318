import { ApiKeyStore, keyEnvironmentOf } from '../platform/auth/index.js';
import { SystemClock } from '../platform/clock.js';
import type { Feature } from '../platform/feature.js';
import { commandAudit } from './command-log.js';
import type { WithKeys } from './keys.command.js';
import { withDatabase } from './with-database.js';

/** The keys in the database. */
export function withKeysOf(features: readonly Feature[]): WithKeys {
  return (work) =>
    withDatabase(features, { migrate: true }, async ({ config, database }) => {
      const clock = new SystemClock();
      const keys = new ApiKeyStore(database, clock, await commandAudit(config.log), keyEnvironmentOf(config.env));
      return work(keys, clock, config.auth.cacheTtlMs);
    });
}
