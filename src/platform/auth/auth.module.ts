import { Global, Module, type Provider } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { Clock } from '../time.js';
import { CONFIG, ConfigError, type Config } from '../config/index.js';
import { LOG, type Log } from '../logging/index.js';
import { keyEnvironmentOf } from './api-key.js';
import { ApiKeyCache } from './api-key.cache.js';
import { ApiKeyGuard, MiddlewareAccess } from './api-key.guard.js';
import { ApiKeyStore } from './api-key.store.js';
import { ApiKeysFile, ApiKeysFileError } from './api-keys-file.js';
import { Authenticator } from './authenticator.js';
import { ClientContext } from './access.decorators.js';
import { KeyAudit, LoggedKeyAudit } from './key-audit.js';
import { KeyUse } from './key-use.js';
import { ObjectPolicies } from './object-policies.js';

const providers: Provider[] = [
  { provide: KeyAudit, useClass: LoggedKeyAudit },
  {
    provide: ApiKeyStore,
    useFactory: (dataSource: DataSource, clock: Clock, audit: KeyAudit, config: Config) =>
      new ApiKeyStore(dataSource, clock, audit, keyEnvironmentOf(config.env)),
    inject: [DataSource, Clock, KeyAudit, CONFIG],
  },
  {
    provide: ApiKeyCache,
    useFactory: (store: ApiKeyStore, config: Config) =>
      new ApiKeyCache((ids) => store.findMany(ids), config.auth.cacheTtlMs),
    inject: [ApiKeyStore, CONFIG],
  },
  { provide: ApiKeysFile, useFactory: openKeysFile, inject: [CONFIG, LOG, KeyAudit] },
  {
    provide: KeyUse,
    useFactory: (store: ApiKeyStore, clock: Clock, log: Log) =>
      new KeyUse((ids, day) => store.markUsed(ids, day), clock, log),
    inject: [ApiKeyStore, Clock, LOG],
  },
  Authenticator,
  ApiKeyGuard,
  ClientContext,
  ObjectPolicies,
  MiddlewareAccess,
];

/** API keys: their storage, the authentication of requests, and the guard of every route. */
@Global()
@Module({
  imports: [DiscoveryModule],
  providers,
  exports: [KeyAudit, ApiKeyStore, Authenticator, ApiKeyGuard, ClientContext, ObjectPolicies, MiddlewareAccess],
})
export class AuthModule {}

/** @throws {ConfigError} (rejects) if API_KEYS_FILE names a file that cannot be used. */
async function openKeysFile({ auth }: Config, log: Log, audit: KeyAudit): Promise<ApiKeysFile | undefined> {
  if (auth.keysFile === undefined) return undefined;
  try {
    return await ApiKeysFile.open(auth.keysFile, log, audit);
  } catch (error) {
    if (!(error instanceof ApiKeysFileError)) throw error;
    throw new ConfigError([{ name: 'API_KEYS_FILE', reason: `names a file that cannot be used: ${error.message}` }]);
  }
}
