import type { Command } from 'commander';
import { features } from '../features.js';
import { ApiKeyStore, keyEnvironmentOf, LoggedKeyAudit } from '../platform/auth/index.js';
import { SystemClock } from '../platform/clock.js';
import { createLog } from '../platform/logging/index.js';
import { version } from '../platform/version.js';
import { configCommand } from './config.command.js';
import { keysCommand, type WithKeys } from './keys.command.js';
import { migrateCommand } from './migrate.command.js';
import { openapiCommand } from './openapi.command.js';
import { printedDocument } from './printed-document.js';
import { withDatabase } from './with-database.js';

/** The audit of keys goes to stderr: stdout belongs to the key alone, for scripts. */
const withKeys: WithKeys = (work) =>
  withDatabase({ migrate: true }, async ({ config, database }) => {
    const log = await createLog({ ...config.log, stream: 'stderr', version, context: () => ({}) });
    const clock = new SystemClock();
    return work(new ApiKeyStore(database, clock, new LoggedKeyAudit(log), keyEnvironmentOf(config.env)), clock);
  });

const declaredScopes = features.flatMap((feature) => Object.keys(feature.scopes ?? {}));

/** Every command, in the order in which help lists them. */
export const commands: readonly Command[] = [
  keysCommand(withKeys, declaredScopes),
  migrateCommand(),
  openapiCommand(printedDocument),
  configCommand(),
];
